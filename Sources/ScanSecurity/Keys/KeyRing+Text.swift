import Foundation

/// The text of the retired keys: one line each, with the key's text, a space, and the time of expiry in ISO 8601.
extension KeyRing {
    func retiredText() -> String {
        retired.map { "\($0.key.exportText()) \($0.expiry.formatted(.iso8601))\n" }.joined()
    }

    /// - Throws: ``KeyError/Code/malformed`` if `text` does not have the format of ``retiredText()``.
    static func retired(text: some Sequence<UInt8>) throws(KeyError) -> [Retired] {
        var characters = [UInt8](text)
        defer { characters.withUnsafeMutableBytes { wipe($0) } }
        var retired: [Retired] = []
        for line in characters.split(separator: UInt8(ascii: "\n")) where !line.trimmed.isEmpty {
            let words = line.trimmed.split(separator: UInt8(ascii: " "))
            guard words.count == 2,
                let expiry = try? Date(String(decoding: words[1], as: UTF8.self), strategy: .iso8601)
            else { throw KeyError(.malformed, "each line must have a replaced key, a space and a date") }
            retired.append(Retired(key: try ClusterKey(text: words[0]), expiry: expiry))
        }
        return retired
    }
}
