import Foundation

/// An image of a job of many, as the index of its pages shows it.
public struct IndexedImage: Equatable, Sendable {
    /// State of an image.
    public enum State: String, CaseIterable, Sendable {
        /// Its scan has not begun.
        case waiting
        /// It is being scanned.
        case running
        /// It was scanned completely.
        case done
        /// It was scanned, but sectors are missing.
        case partial
        /// It could not be scanned.
        case failed
    }

    /// What was found in an image.
    public struct Finding: Equatable, Sendable {
        package var width: Int
        package var height: Int
        package var sources: Int
        package var missing: Int
        package var seconds: Double
        package var quality: ImageQuality

        /// An image of `width` columns and `height` rows that was scanned in `seconds`; `missing` sectors could not be.
        public init(width: Int, height: Int, sources: Int, missing: Int, seconds: Double, quality: ImageQuality) {
            (self.width, self.height, self.sources) = (width, height, sources)
            (self.missing, self.seconds, self.quality) = (missing, seconds, quality)
        }
    }

    /// Name of the file, as the user gave it.
    public let file: String
    /// Number of the HDU; nil as long as it is unknown.
    public internal(set) var hdu: Int?
    /// Number of the plane of a cube; nil if the HDU is one image.
    public internal(set) var plane: Int?
    /// EXTNAME of the HDU.
    public internal(set) var extensionName: String?
    /// State of the image.
    public internal(set) var state = State.waiting
    /// What was found, once it is done.
    public internal(set) var finding: Finding?
    /// Page and thumbnail of the image, without folder and ending; nil if there are none. While it is being scanned, the
    /// name of its live page.
    public internal(set) var page: String?
    /// Why it failed or is partial.
    public internal(set) var reason: String?

    /// Tells it from the other images of its HDU: EXTNAME and plane.
    package var title: String? {
        guard let plane else { return extensionName }
        return (extensionName.map { "\($0) " } ?? "") + "plane \(plane)"
    }
}

/// A row of the index, as an array of JSON, which is a third of an object.
package struct IndexRow: Encodable {
    /// Place of the image in the list.
    package var number: Int
    package var image: IndexedImage

    /// Names of the elements.
    package static let columns = [
        "number", "state", "file", "hdu", "extname", "width", "height", "sources", "seeing", "scale", "ellipticity",
        "points", "background", "noise", "limit", "zero", "seconds", "page", "reason",
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
    }
}

/// A value rounded to six significant digits.
private func short(_ value: Double) -> Double { Double(String(format: "%.6g", value)) ?? value }
