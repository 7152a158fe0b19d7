import Foundation
import ScanCluster

/// JSON with sorted keys and unescaped slashes.
package enum JSONOutput {
    /// Encodes a result on several lines.
    package static func document(_ value: some Encodable) throws -> String { try text(value, [.prettyPrinted]) }

    /// Encodes an event on one line.
    package static func line(_ value: some Encodable) throws -> String { try text(value, []) }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }

    /// Escapes characters that could control a terminal; the encoder already escapes those of ASCII.
    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x7f }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII && scalar != "\u{7f}" || scalar.isPrintable {
                result.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result.append(
                        contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
                }
            }
        }
        return String(result)
    }
}
