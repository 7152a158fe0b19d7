internal import CFITSIO
package import CNumbers
public import ScanBasics

/// One 2-D image of a FITS file, open for reading by one thread at a time.
///
/// Plain, gzip-compressed and tile-compressed (`.fz`) files are read with CFITSIO. An image whose further axes have
/// length 1 counts as 2-D; in a cube, the image is one plane. Opening parses the headers and checks the size of the
/// file; ``read(rows:columns:into:)`` returns physical values. ``stored`` gives access to the bytes of the file, for
/// checksums and for reading by several threads without CFITSIO (`StoredSamples`).
public final class FITSImage {
    /// The location from which the image was opened.
    public let location: ImageLocation
    /// Number of the HDU; 0 is the primary HDU.
    public let hduNumber: Int
    /// Number of the plane of a cube, from 1; nil if the HDU is a single image.
    public let plane: Int?
    /// EXTNAME of the HDU; nil if it has none.
    public let extensionName: String?
    /// Number of pixels per row (NAXIS1).
    public let width: Int
    /// Number of rows (NAXIS2).
    public let height: Int
    /// Type of the stored samples as in FITS: 8, 16, 32, 64 for integers, -32 and -64 for floats.
    public let bitpix: Int
    /// Whether the image is stored as compressed tiles.
    public let isTileCompressed: Bool
    /// The header of the image.
    public let header: FITSHeader
    /// The primary header of the file; empty if the image is in the primary HDU.
    public let primary: FITSHeader
    /// The byte range of the file that contains the image.
    public let stored: StoredImage
    /// The other images and faults of the file; nil unless the image was opened with ``init(surveying:)``.
    public let survey: FITSSurvey?

    package let file: FITSFile
    /// Position of the plane on each further axis, from 1.
    let planePlace: [Int]
    /// Byte range in the file of the image's samples or of the table that holds its tiles, without the padding of the
    /// last block.
    package let data: Range<Int>
    /// Offset of the first byte after the HDU's header.
    let headerEnd: Int
    /// Number of the image's first sample in its HDU, from 0.
    let firstSample: Int
    package let scaling: SampleScaling?
    /// Whether the data are uncompressed floats that CFITSIO does not scale.
    package let holdsPlainFloats: Bool
    /// How integers of 16 bits become pixels, if the data are nothing but these and are complete; nil otherwise.
    package let plainShorts: skyfarm_short_scale?
    /// Checks compressed tiles; nil if the image is not tile-compressed.
    let tileCheck: TileCheck?
    /// The incomplete last block; nil if all blocks of the image are complete.
    package let incompleteBlock: IncompleteBlock?

    /// Maximum number of pixels of an image: 2^40.
    public static let maximumPixelCount = 1 << 40

    /// Parses a location and opens the image; checks that the file is long enough to hold it.
    /// - Throws: ``ImageError``.
    public convenience init(_ location: String) throws(ImageError) {
        try self.init(ImageLocation(location))
    }

    /// Opens the image at `location`; checks that the file is long enough to hold it.
    /// - Throws: ``ImageError``.
    public convenience init(_ location: ImageLocation) throws(ImageError) {
        try self.init(location, keeping: nil)
    }

    /// Opens the image at `location` in a file with a known layout, without reading the headers before it.
    /// - Throws: ``ImageError``.
    package convenience init(_ location: String, layout: FITSLayout?) throws(ImageError) {
        try self.init(ImageLocation(location), keeping: nil, layout: layout)
    }

    /// Opens the image at `location` and reads the headers of all HDUs of its file.
    /// - Throws: ``ImageError``; a fault in another HDU is not an error, but listed in ``survey``.
    public convenience init(surveying location: String) throws(ImageError) {
        try self.init(ImageLocation(location), keeping: nil, surveys: true)
    }

    /// Opens the image at `location`, whose path may be valid only during the lifetime of `descriptor`.
    package convenience init(
        _ location: ImageLocation, keeping descriptor: OpenDescriptor?, surveys: Bool = false, layout: FITSLayout? = nil
    ) throws(ImageError) {
        let file = try FITSFile(path: location.path, keeping: descriptor)
        if let layout { file.use(layout) }
        try self.init(file, location, surveys: surveys)
    }

    /// Opens the image in an open file, whose path is that of `location`.
    package init(_ file: FITSFile, _ location: ImageLocation, surveys: Bool = false) throws(ImageError) {
        let opened = try FITSLibrary.run { () throws(ImageError) in try Opening(file, location, surveys: surveys) }
        self.location = location
        self.file = file
        (hduNumber, extensionName) = (opened.hdu.number, opened.hdu.name)
        (width, height, plane, planePlace) = (opened.width, opened.height, opened.plane, opened.planePlace)
        (bitpix, isTileCompressed) = (opened.bitpix, opened.isTileCompressed)
        (header, primary) = (opened.header, opened.primary)
        stored = StoredImage(location: location, range: opened.storedRange, state: file.state)
        firstSample = ((opened.plane ?? 1) - 1) * opened.width * opened.height
        headerEnd = opened.hdu.data.lowerBound
        data = opened.data
        scaling = opened.scaling
        holdsPlainFloats = opened.holdsPlainFloats
        survey = opened.survey
        incompleteBlock = opened.hdu.end > file.byteCount ? try IncompleteBlock(of: opened, in: file) : nil
        plainShorts = incompleteBlock == nil ? opened.plainShorts : nil
        tileCheck = opened.isTileCompressed ? TileCheck(file, opened) : nil
    }
}

/// Linear scaling of samples in single precision: physical value = stored value * scale + zero.
///
/// CFITSIO scales in double precision. astropy, and therefore users of SEP, scale sample types that fit a float in
/// single precision; a catalogue that is equal to theirs bit by bit needs the same pixels.
package struct SampleScaling {
    var scale: Float
    var zero: Float

    func apply(to samples: UnsafeMutableBufferPointer<Float>) {
        if scale != 1 { for index in samples.indices { samples[index] *= scale } }
        if zero != 0 { for index in samples.indices { samples[index] += zero } }
    }
}
