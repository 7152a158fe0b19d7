import Foundation

/// Text form of the retired keys: one line each, with the key's text, a space, and the time of expiry in ISO 8601.
extension KeyRing {
    func retiredText() -> SecretText {
        let ends = retired.map { " \($0.expiry.formatted(.iso8601))\n" }
        let text = SecretText(capacity: ends.reduce(0) { $0 + ClusterKey.textLength + $1.utf8.count })
        for (entry, end) in zip(retired, ends) {
            entry.key.write(to: text)
            text.append(end.utf8)
        }
        return text
    }

    /// - Throws: ``KeyError/Code/malformed`` if `text` does not have the format of ``retiredText()``.
    static func retired(text: some Sequence<UInt8>) throws(KeyError) -> [Retired] {
        try retired(SecretText(text))
    }

    static func retired(_ text: SecretText) throws(KeyError) -> [Retired] {
        defer { withExtendedLifetime(text) {} }
        var retired: [Retired] = []
        for line in text.all.split(separator: UInt8(ascii: "\n")) where !line.trimmed.isEmpty {
            let words = line.trimmed.split(separator: UInt8(ascii: " "))
            guard words.count == 2,
                let expiry = try? Date(String(decoding: words[1], as: UTF8.self), strategy: .iso8601)
            else { throw KeyError(.malformed, "each line must have a replaced key, a space and a date") }
            retired.append(Retired(key: try ClusterKey(characters: words[0]), expiry: expiry))
        }
        return retired
    }
}
