import Foundation

/// The state of a page, or its changes, as JSON for the page's script.
public protocol PageUpdate: Encodable {}

extension PageUpdate {
    /// Returns the update as one line in UTF-8.
    public func json() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Encoding of numbers and strings cannot fail.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
