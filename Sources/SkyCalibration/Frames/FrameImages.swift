package import SkyFITS

/// The images of a frame that are combined or calibrated: all of its file, without those that accompany others, or the
/// selected one.
package struct FrameImages: Sendable {
    package let location: ImageLocation
    package let images: [ImageExtension]
    /// The numbers of these images among all of the file, from 0.
    private let places: [Int]
    /// The primary header.
    package let primary: FITSHeader

    /// Finds the images of a frame.
    /// - Throws: ``ImageError``; also for a file that is incomplete.
    package init(_ location: ImageLocation) throws(ImageError) {
        self.location = location
        let survey = try FITSSurvey(of: location.path, planes: .colours, keepsHeaders: true)
        if let truncation = survey.truncation { throw ImageError(.truncated, truncation) }
        if survey.isCutShort, let fault = survey.faults.last { throw ImageError(.corrupt, fault) }
        primary = survey.headers[0] ?? FITSHeader(bytes: [])
        guard location.selector != .firstImage else {
            images = survey.images
            places = Array(survey.images.indices)
            return
        }
        let chosen = survey.images.indices.filter { survey.images[$0].matches(location.selector) }
        guard !chosen.isEmpty else { throw ImageError(.noSuchHDU, "\(location): no such image in the file") }
        images = chosen.map { survey.images[$0] }
        places = chosen
    }

    /// Which image of a master belongs to one of the images.
    package func place(of index: Int) -> ImagePlace { ImagePlace(index: index, inFile: places[index]) }

    /// The location of one of the images.
    package func location(of index: Int) -> ImageLocation {
        ImageLocation(path: location.path, selector: images[index].selector)
    }
}

/// The place of an image, from 0: among the images of its frame that are used, and among all of its file.
///
/// Both are equal unless an image of the file is selected.
package struct ImagePlace: Hashable, Sendable {
    package let index: Int
    package let inFile: Int

    package init(index: Int, inFile: Int) { (self.index, self.inFile) = (index, inFile) }
}

extension ImageExtension {
    /// The name that a table of compressed tiles has if the image has none.
    static let tableName = "COMPRESSED_IMAGE"

    /// The name of the image; nil if only the table of its tiles has one.
    var ownName: String? { name == Self.tableName ? nil : name }
}
