public import ScanBasics

/// The facts that a node announces about itself in its TXT record, readable by everyone on the network.
///
/// In the record of a peer, a field that is missing or invalid is nil. The facts are not authenticated before the
/// handshake of a connection.
public struct NodeAdvertisement: Hashable, Sendable {
    /// Protocol versions that the node speaks (key `v`: `2`, or `1-3`).
    public var versions: ClosedRange<UInt16>?
    /// Number of tasks that it runs at once (key `slots`).
    public var slots: Int?
    /// Short fingerprints of the accepted cluster keys (key `key`): letters, digits and `:-_+/=.`, at most 64 bytes.
    public var keyFingerprint: String?
    /// Identity of the node (key `id`).
    public var id: SystemID?
    /// Whether the node currently runs no tasks (key `paused`: `1`).
    public var isPaused = false

    /// Maximum number of slots; a greater number is invalid.
    public static let maximumSlots = 65_536

    /// Creates an advertisement of a node that is not paused.
    public init(versions: ClosedRange<UInt16>?, slots: Int?, keyFingerprint: String?, id: SystemID?) {
        self.versions = versions
        self.slots = slots
        self.keyFingerprint = keyFingerprint
        self.id = id
    }

    /// Parses a TXT record; invalid fields become nil.
    public init(_ record: TXTRecord) {
        versions = record["v"].flatMap(Self.versions)
        slots = record["slots"].flatMap(Self.digits).flatMap { Int($0) }
            .flatMap { (1...Self.maximumSlots).contains($0) ? $0 : nil }
        keyFingerprint = record["key"].flatMap { $0.isFingerprint ? $0 : nil }
        id = record["id"].flatMap(SystemID.init(hexadecimal:))
        isPaused = record["paused"] == "1"
    }

    /// The TXT record to announce.
    public var record: TXTRecord {
        var record = TXTRecord()
        record["v"] = versions.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        record["slots"] = slots.map(String.init)
        record["key"] = keyFingerprint
        record["id"] = id?.description
        record["paused"] = isPaused ? "1" : nil
        return record
    }

    private static func versions(_ text: String) -> ClosedRange<UInt16>? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { digits(String($0)).flatMap { UInt16($0) } }
        guard bounds.count <= 2, let first = bounds.first ?? nil, let last = bounds.last ?? nil, first <= last else {
            return nil
        }
        return first...last
    }

    /// Returns the text if it consists of digits; the number parsers would also accept signs.
    private static func digits(_ text: String) -> String? {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? text : nil
    }
}

extension String {
    fileprivate var isFingerprint: Bool {
        (1...64).contains(utf8.count)
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789:-_+/=.".unicodeScalars.contains($0))
            }
    }
}

extension SystemID {
    /// Parses 32 hexadecimal digits; nil for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
