public import SkyFITS

/// Properties of an image known from its header.
public struct ImageSummary: Sendable {
    /// The file's name and HDU, as the user gave them.
    public let name: String
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Number of the HDU, 0 for the primary one.
    public let hdu: Int
    /// The plane of a cube, from 1; nil if the HDU is one image.
    public let plane: Int?
    /// Bits per sample (BITPIX); negative for floats.
    public let bitpix: Int
    /// The HDU's header, with the cards of a file beside the image if there is one.
    public let header: FITSHeader
    /// The header's cards, and those of the primary header that the image inherits.
    public let cards: ImageCards
    /// The image's mask, as the user named it.
    public let mask: String?
    /// The image's weight map, as the user named it.
    public let weights: String?
    /// Whether the file has a raw frame, which is calibrated as it is read.
    package let isRaw: Bool
    /// Number of 2-D images in the image's file.
    public let imageCount: Int
    /// Notes on the files for the user, a line each: further images, faults that do not prevent reading.
    public let warnings: [String]
    /// Why the catalogue lacks right ascension and declination, although the header has celestial axes.
    ///
    /// Nil if the axes are usable, or if there are none, which is not an error.
    public let coordinatesProblem: String?

    init(
        _ files: ImageFiles, mask: (name: String, file: FITSImage)?, weights: (name: String, file: FITSImage)?,
        head: FITSHeader?
    ) {
        let image = files.image
        name = image.location.description
        (width, height) = files.size
        (hdu, plane) = (image.hduNumber, image.plane)
        // Calibrated pixels are floats.
        bitpix = files.calibration == nil ? image.bitpix : -32
        isRaw = files.calibration != nil
        let own = files.calibration?.header ?? image.header
        header = head.map(own.overlaid) ?? own
        cards = ImageCards(header: header, primary: image.primary, holdsIntegers: bitpix > 0)
        self.mask = mask?.name
        self.weights = weights?.name
        imageCount = image.survey?.images.count ?? 1
        let notes: [String]
        (notes, coordinatesProblem) = Self.coordinateNotes(header, name: name, path: image.location.path)
        warnings = [image, mask?.file, weights?.file].flatMap { $0?.warnings ?? [] } + notes
    }

    /// The summary of an image on a node, without maps.
    init(_ image: NodeFileAnswer.Image, name: String, imageCount: Int, head: FITSHeader?) {
        self.name = name
        (width, height, hdu, bitpix) = (image.width, image.height, image.file.hdu, image.bitpix)
        let header = FITSHeader(bytes: image.header)
        self.header = head.map(header.overlaid) ?? header
        cards = ImageCards(
            header: self.header, primary: FITSHeader(bytes: image.primary), holdsIntegers: image.bitpix > 0)
        (plane, mask, weights, isRaw) = (nil, nil, nil, false)
        (warnings, coordinatesProblem) = Self.coordinateNotes(self.header, name: name, path: nil)
        self.imageCount = imageCount
    }

    /// Notes on the coordinates for the user, a line each, and why there are none. `path` is the file of the image; nil if
    /// it cannot be read here.
    private static func coordinateNotes(
        _ header: FITSHeader, name: String, path: String?
    ) -> (notes: [String], problem: String?) {
        do throws(WCSUnavailable) {
            let system = try CelestialWCS(header: header)
            let tables = LookupTables(header)?.note(file: path)
            return ((system.notes + [tables].compactMap(\.self)).map { "\(name): \($0)" }, nil)
        } catch {
            return ([], error.isAbsent ? nil : error.description)
        }
    }

    /// Number of pixels.
    public var area: Int { width * height }

    /// Unit of the samples: the header's BUNIT, or `adu`.
    public var sampleUnit: String { header.text("BUNIT") ?? "adu" }
}
