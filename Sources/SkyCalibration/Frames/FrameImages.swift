package import SkyFITS

/// The images of a frame that are combined or calibrated: all of its file, without those that accompany others, or the
/// selected one.
package struct FrameImages: Sendable {
    package let location: ImageLocation
    package let images: [ImageExtension]
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
            return
        }
        let chosen = survey.images.filter { $0.matches(location.selector) }
        guard !chosen.isEmpty else { throw ImageError(.noSuchHDU, "\(location): no such image in the file") }
        images = chosen
    }

    /// The location of one of the images.
    package func location(of index: Int) -> ImageLocation {
        ImageLocation(path: location.path, selector: images[index].selector)
    }
}
