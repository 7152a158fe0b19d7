import Foundation

/// The state of a page, or its changes, as JSON for the page's script.
public protocol PageUpdate: Encodable {}

extension PageUpdate {
    /// One line, in UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Encoding numbers and strings cannot fail.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
