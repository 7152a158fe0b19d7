import Foundation

/// JSON with sorted keys and unescaped slashes.
enum JSONOutput {
    /// On many lines, for a result.
    static func document(_ value: some Encodable) throws -> String { try text(value, [.prettyPrinted]) }

    /// On one line, for an event.
    static func line(_ value: some Encodable) throws -> String { try text(value, []) }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
