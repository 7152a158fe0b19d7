import Foundation

/// A value that has been coded and decoded, as on its way over a network: a property that is not coded, or an error of
/// `encode(to:)` or `init(from:)`, shows in a simulation as well.
enum CodedCopy {
    /// - Throws: ``CodingFailure`` after `problem` if the value cannot be coded.
    static func of<Value: Codable>(_ value: Value, _ problem: String) throws -> Value {
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(Value.self, from: try encoder.encode(value))
        } catch {
            throw CodingFailure(description: "\(problem): \(error)")
        }
    }

    private struct CodingFailure: Error, CustomStringConvertible {
        var description: String
    }
}
