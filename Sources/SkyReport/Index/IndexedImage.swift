import Foundation
public import SkyFITS

/// An image of a job of many images, as shown by the index page.
public struct IndexedImage: Equatable, Sendable {
    /// The state of an image.
    public enum State: String, CaseIterable, Sendable {
        /// The scan has not begun.
        case waiting
        /// The scan is in progress.
        case running
        /// The image was scanned completely.
        case done
        /// The image was scanned, but sectors are missing.
        case partial
        /// The image could not be scanned.
        case failed
        /// The file holds no image, or its header does not meet the condition of the job.
        case leftOut = "left-out"
    }

    /// The results of the scan of an image.
    public struct Finding: Equatable, Sendable {
        package var width: Int
        package var height: Int
        package var sources: Int
        package var missing: Int
        package var seconds: Double
        package var quality: ImageQuality
        /// Unit of the samples; nil if it is not known.
        public var unit: String?
        /// How the image was taken; nil if it is not known.
        public var observation: Observation?

        /// Creates the results of an image of `width` by `height` pixels that was scanned in `seconds`; `missing` is
        /// the number of failed sectors.
        public init(width: Int, height: Int, sources: Int, missing: Int, seconds: Double, quality: ImageQuality) {
            (self.width, self.height, self.sources) = (width, height, sources)
            (self.missing, self.seconds, self.quality) = (missing, seconds, quality)
        }
    }

    /// Name of the file as given by the user.
    public let file: String
    /// Number of the HDU; nil while it is unknown.
    public internal(set) var hdu: Int?
    /// Number of the plane of a cube; nil if the HDU is a single image.
    public internal(set) var plane: Int?
    /// EXTNAME of the HDU; nil if it has none.
    public internal(set) var extensionName: String?
    /// Progress of the scan.
    public internal(set) var state = State.waiting
    /// The results, once the image has been scanned.
    public internal(set) var finding: Finding?
    /// Name of the page and thumbnail of the image, without folder and extension; nil if there are none. During the
    /// scan, the name of its live page.
    public internal(set) var page: String?
    /// The reason for a partial or failed scan, or why the file is left out; also set if the catalogue existed before.
    public internal(set) var reason: String?

    /// Distinguishes the image from others of its file or cube: EXTNAME and plane.
    package var title: String? {
        guard let plane else { return extensionName }
        return (extensionName.map { "\($0) " } ?? "") + "plane \(plane)"
    }
}

/// A row of the index as a JSON array, which is a third of the size of an object.
package struct IndexRow: Encodable {
    /// Position of the image in the list.
    package var number: Int
    package var image: IndexedImage

    /// Names of the array's elements, in order.
    package static let columns = [
        "number", "state", "file", "hdu", "extname", "width", "height", "sources", "seeing", "scale", "ellipticity",
        "points", "background", "noise", "limit", "zero", "seconds", "page", "reason",
        "object", "filter", "exposure", "date", "observed", "airmass", "unit",
    ]

    package func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        let (finding, quality) = (image.finding, image.finding?.quality)
        try row.encode(number)
        try row.encode(image.state.rawValue)
        try row.encode(image.file)
        try row.encode(image.hdu)
        try row.encode(image.title)
        for count in [finding?.width, finding?.height, finding?.sources] { try row.encode(count) }
        for value in [quality?.seeing, quality?.pixelScale, quality?.ellipticity] { try row.encode(value.map(short)) }
        try row.encode(quality?.pointSources)
        for value in [quality?.background, quality?.noise, quality?.limit?.value] { try row.encode(value.map(short)) }
        try row.encode(quality?.limit?.keyword)
        try row.encode(finding.map { short($0.seconds) })
        try row.encode(image.page)
        try row.encode(image.reason)
        let observation = finding?.observation
        for words in [observation?.object, observation?.filter] { try row.encode(words) }
        try row.encode(observation?.exposure.map(short))
        try row.encode(observation?.date)
        // To a hundredth of a second.
        try row.encode(observation?.time.map { ($0 * 100).rounded() / 100 })
        try row.encode(observation?.airmass.map(short))
        try row.encode(finding?.unit)
    }
}

/// Rounds a value to six significant digits.
private func short(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
