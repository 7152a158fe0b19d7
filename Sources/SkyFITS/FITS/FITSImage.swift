internal import CFITSIO
public import ScanBasics

/// One 2-D image of a FITS file, open for reading by one thread at a time.
///
/// Plain, gzip- and tile-compressed (`.fz`) files are read through CFITSIO. An image with further axes of length 1
/// counts as 2-D; of a cube, one plane is the image.
public final class FITSImage {
    /// The location it was opened from.
    public let location: ImageLocation
    /// Number of the HDU; 0 is the primary one.
    public let hduNumber: Int
    /// The plane of a cube, from 1; nil if the HDU is one image.
    public let plane: Int?
    /// EXTNAME of the HDU.
    public let extensionName: String?
    /// Pixels per row (NAXIS1).
    public let width: Int
    /// Number of rows (NAXIS2).
    public let height: Int
    /// Type of the stored samples: 8, 16, 32, 64 for integers, -32 and -64 for floats.
    public let bitpix: Int
    /// Whether the image is stored in compressed tiles.
    public let isTileCompressed: Bool
    /// The cards of the image's header.
    public let header: FITSHeader
    /// Those of the file's primary header; none if the image is the primary HDU's.
    public let primary: FITSHeader
    /// The bytes of the file that contain the image.
    public let stored: StoredImage
    /// What else the file holds; nil unless the image was opened by ``init(surveying:)``.
    public let survey: FITSSurvey?

    package let file: FITSFile
    /// The place of the plane on each further axis, from 1.
    let planePlace: [Int]
    /// The image's samples in the file, or the table of its tiles, in bytes, without the padding of the last block.
    package let data: Range<Int>
    /// First byte behind the HDU's header.
    let headerEnd: Int
    /// Number of the image's first sample in its HDU.
    let firstSample: Int
    package let scaling: SampleScaling?
    /// Whether the data are uncompressed floats that CFITSIO does not scale.
    package let holdsPlainFloats: Bool
    /// Nil if the image is not tile-compressed.
    let tileCheck: TileCheck?
    /// Nil if all blocks of the image are complete.
    package let incompleteBlock: IncompleteBlock?

    /// Most pixels that an image may have: 2^40.
    public static let maximumPixelCount = 1 << 40

    /// Opens the image at `location`, and checks that the file is long enough to hold it.
    /// - Throws: ``ImageError``.
    public convenience init(_ location: String) throws(ImageError) {
        try self.init(ImageLocation(location))
    }

    /// Opens the image at `location`, and checks that the file is long enough to hold it.
    /// - Throws: ``ImageError``.
    public convenience init(_ location: ImageLocation) throws(ImageError) {
        try self.init(location, keeping: nil)
    }

    /// Opens the image at `location` of a file with this layout, without reading the headers before it.
    /// - Throws: ``ImageError``.
    package convenience init(_ location: String, layout: FITSLayout?) throws(ImageError) {
        try self.init(ImageLocation(location), keeping: nil, layout: layout)
    }

    /// Opens the image at `location` and reads the headers of all HDUs of its file.
    /// - Throws: ``ImageError``; a fault in another HDU is not an error, but listed in ``survey``.
    public convenience init(surveying location: String) throws(ImageError) {
        try self.init(ImageLocation(location), keeping: nil, surveys: true)
    }

    /// Opens the image at `location`, whose path may be valid only for the lifetime of `descriptor`.
    package convenience init(
        _ location: ImageLocation, keeping descriptor: OpenDescriptor?, surveys: Bool = false, layout: FITSLayout? = nil
    ) throws(ImageError) {
        let file = try FITSFile(path: location.path, keeping: descriptor)
        if let layout { file.use(layout) }
        try self.init(file, location, surveys: surveys)
    }

    /// The image in an open file, whose path is that of `location`.
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
        tileCheck = opened.isTileCompressed ? TileCheck(file, opened) : nil
    }
}

/// Physical value = stored value · scale + zero, in single precision.
///
/// CFITSIO scales in double precision. astropy, and so users of SEP, scale stored types that fit a float in single
/// precision; a catalogue equal to theirs to the last bit needs the same pixels.
package struct SampleScaling {
    var scale: Float
    var zero: Float

    func apply(to samples: UnsafeMutableBufferPointer<Float>) {
        if scale != 1 { for index in samples.indices { samples[index] *= scale } }
        if zero != 0 { for index in samples.indices { samples[index] += zero } }
    }
}
