/// The ordered keys and values of a DNS-SD TXT record (RFC 6763, section 6).
///
/// Parsing accepts any bytes: invalid strings are skipped, so that an unauthenticated record is harmless.
public struct TXTRecord: Hashable, Sendable {
    /// One string of the record.
    public struct Entry: Hashable, Sendable {
        /// Printable ASCII without `=`, compared case-insensitively.
        public var key: String
        /// The bytes after `=`; nil if there is no `=`.
        public var value: [UInt8]?
    }

    /// The strings in order; each key occurs once.
    public private(set) var entries: [Entry]

    /// Maximum length in bytes of a record that reaches every peer: longer ones can be announced but not resolved.
    public static let maximumLength = 1399

    /// Creates a record from keys and values.
    public init(_ pairs: KeyValuePairs<String, String> = [:]) {
        entries = []
        for (key, value) in pairs { self[key] = value }
    }

    /// Parses a record. Invalid strings are skipped; of equal keys the first one counts.
    public init(parsing bytes: some Sequence<UInt8>) {
        entries = []
        var remaining = bytes.makeIterator()
        while let length = remaining.next() {
            var string: [UInt8] = []
            for _ in 0..<length {
                guard let byte = remaining.next() else { return }
                string.append(byte)
            }
            if let entry = Entry(parsing: string), !entries.contains(where: { $0.hasKey(entry.key) }) {
                entries.append(entry)
            }
        }
    }

    /// The value of `key` as text; nil if the key is missing or its value is not UTF-8. Setting nil removes the key.
    public subscript(key: String) -> String? {
        get {
            entries.first { $0.hasKey(key) }?.value.flatMap { String(validating: $0, as: UTF8.self) }
        }
        set {
            let place = entries.firstIndex { $0.hasKey(key) }
            switch (place, newValue) {
            case (let place?, let newValue?): entries[place].value = Array(newValue.utf8)
            case (let place?, nil): entries.remove(at: place)
            case (nil, let newValue?): entries.append(Entry(key: key, value: Array(newValue.utf8)))
            case (nil, nil): break
            }
        }
    }

    /// Returns the encoded record; a record without keys is one empty string.
    /// - Throws: ``DiscoveryError`` with code `invalid` for an invalid key, a string above 255 bytes, or a record above
    ///   ``maximumLength`` bytes.
    public func encoded() throws(DiscoveryError) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            let string = Array(entry.key.utf8) + (entry.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
            guard Entry(parsing: string) == entry else {
                throw DiscoveryError(.invalid, "'\(entry.key)' cannot be a key of a TXT record")
            }
            guard let length = UInt8(exactly: string.count) else {
                throw DiscoveryError(
                    .invalid,
                    "the TXT value of '\(entry.key)' is too long: \(string.count) bytes with its key, at most 255")
            }
            bytes.append(length)
            bytes += string
        }
        guard bytes.count <= Self.maximumLength else {
            throw DiscoveryError(
                .invalid, "the TXT record has \(bytes.count) bytes; at most \(Self.maximumLength) reach other machines")
        }
        return bytes.isEmpty ? [0] : bytes
    }
}

extension TXTRecord.Entry {
    /// Parses a string of the record; nil if it has no valid key.
    init?(parsing string: [UInt8]) {
        let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = parts.first, !key.isEmpty, key.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        self.key = String(decoding: key, as: UTF8.self)
        self.value = parts.count > 1 ? Array(parts[1]) : nil
    }

    func hasKey(_ other: String) -> Bool { key.lowercased() == other.lowercased() }
}
