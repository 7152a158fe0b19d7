/// Text form of a key: `skyfarm-key-1-`, the fingerprint, `-`, and 64 hexadecimal digits, without spaces. The
/// fingerprint identifies the key and serves as a checksum of the copied text.
extension ClusterKey {
    static let textPrefix = "skyfarm-key-1-"
    static let textLength = textPrefix.utf8.count + KeyFingerprint.length + 1 + 2 * byteCount

    /// Returns the secret as one line without a line feed. Anyone who reads it can use every node of the cluster.
    public func exportText() -> String {
        let text = SecretText(capacity: Self.textLength)
        write(to: text)
        return text.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Appends the text of the key to `text`.
    func write(to text: SecretText) {
        text.append("\(Self.textPrefix)\(fingerprint)-".utf8)
        withSecret { text.append($0.lazy.flatMap { [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)] }) }
    }

    /// The content of the key file.
    var fileText: SecretText {
        let text = SecretText(capacity: Self.textLength + 1)
        write(to: text)
        text.append("\n".utf8)
        return text
    }

    /// Parses the text of a key; white space around it is ignored.
    /// - Throws: ``KeyErrorCode/malformed`` if `text` does not have the format of ``exportText()``.
    public convenience init(text: some Sequence<UInt8>) throws(KeyError) {
        let text = SecretText(text)
        // The memory belongs to `text`, which outlives the initialiser.
        try self.init(characters: text.all.trimmed)
        withExtendedLifetime(text) {}
    }

    /// Parses the text of a key.
    /// - Throws: the errors of ``init(text:)``.
    static func read(_ text: SecretText) throws(KeyError) -> ClusterKey {
        try text.withBytes { (bytes) throws(KeyError) in try ClusterKey(characters: bytes[...].trimmed) }
    }

    /// Parses the characters of a key.
    /// - Throws: the errors of ``init(text:)``.
    convenience init(characters: Slice<UnsafeRawBufferPointer>) throws(KeyError) {
        let prefix = Array(Self.textPrefix.utf8)
        guard characters.starts(with: prefix) else {
            throw KeyError(.malformed, "this is not a cluster key: a key begins with '\(Self.textPrefix)'")
        }
        guard characters.count == Self.textLength else {
            throw KeyError(
                .malformed,
                "a cluster key has \(Self.textLength) characters, this text has \(characters.count): copy all of it")
        }
        let name = characters.dropFirst(prefix.count).prefix(KeyFingerprint.length)
        let digits = characters.suffix(2 * Self.byteCount)
        let separator = characters[digits.startIndex - 1]
        guard let expected = KeyFingerprint(String(decoding: name, as: UTF8.self)), separator == UInt8(ascii: "-")
        else {
            throw KeyError.damaged
        }
        try self.init { (bytes) throws(KeyError) in
            for index in 0..<bytes.count {
                let first = digits.startIndex + 2 * index
                guard let high = Hexadecimal.value(of: digits[first]),
                    let low = Hexadecimal.value(of: digits[first + 1])
                else { throw KeyError.damaged }
                bytes[index] = high << 4 | low
            }
        }
        guard fingerprint == expected else { throw KeyError.damaged }
    }
}

extension KeyError {
    fileprivate static let damaged = KeyError(
        .malformed, "this cluster key was changed in copying: its fingerprint does not match; copy it again")
}

extension Slice<UnsafeRawBufferPointer> {
    /// The slice without leading and trailing white space.
    var trimmed: Self {
        func isSpace(_ character: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(character) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }
}
