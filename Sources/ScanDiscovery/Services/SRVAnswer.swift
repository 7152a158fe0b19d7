/// The SRV records of a DNS message (RFC 1035, section 4; RFC 2782). Parsing is safe for arbitrary bytes.
struct SRVAnswer: Hashable {
    /// A host that offers the service.
    struct Target: Hashable {
        /// Lower values are preferred.
        var priority: UInt16
        var weight: UInt16
        var port: UInt16
        /// Host name without the trailing dot.
        var host: String
    }

    /// The targets, best priority first.
    var targets: [Target] = []
    /// Time to live of the answer in seconds: the minimum of its records.
    var secondsToLive: UInt32?

    /// Parses a DNS message; nil if it is malformed.
    init?(parsing message: some Collection<UInt8>) {
        var reader = MessageReader(bytes: Array(message), position: 4)
        guard let questions = reader.short(), let answers = reader.short(), reader.skip(4) else { return nil }
        for _ in 0..<questions { guard reader.name() != nil, reader.skip(4) else { return nil } }
        for _ in 0..<answers {
            guard reader.name() != nil, let type = reader.short(), reader.skip(2), let high = reader.short(),
                let low = reader.short(), let length = reader.short()
            else { return nil }
            let end = reader.position + Int(length)
            if type == Self.recordType {
                guard let target = Self.target(&reader), reader.position == end else { return nil }
                secondsToLive = min(secondsToLive ?? .max, UInt32(high) << 16 | UInt32(low))
                // The target `.`, empty here, means that the service is not offered (RFC 2782).
                if !target.host.isEmpty, target.port != 0 { targets.append(target) }
            } else if !reader.skip(Int(length)) {
                return nil
            }
        }
        targets.sort { ($0.priority, $1.weight, $0.host, $0.port) < ($1.priority, $0.weight, $1.host, $1.port) }
    }

    private static let recordType: UInt16 = 33

    private static func target(_ reader: inout MessageReader) -> Target? {
        guard let priority = reader.short(), let weight = reader.short(), let port = reader.short(),
            let host = reader.name()
        else { return nil }
        return Target(priority: priority, weight: weight, port: port, host: host)
    }
}

/// A sequential reader of a DNS message. Its functions return nil or false at the end of the bytes.
private struct MessageReader {
    let bytes: [UInt8]
    var position: Int

    mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= bytes.count
    }

    mutating func short() -> UInt16? {
        guard position + 2 <= bytes.count else { return nil }
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    /// Reads a name, whose labels may continue at an earlier offset. Each jump must go further back, so the loop ends.
    mutating func name() -> String? {
        var labels: [String] = []
        var place = position
        var earliest = position
        var end: Int?
        while place < bytes.count {
            let length = Int(bytes[place])
            switch length {
            case 0:
                position = end ?? place + 1
                return labels.joined(separator: ".")
            case 1...63:
                guard place + 1 + length <= bytes.count, labels.count < 128 else { return nil }
                labels.append(String(decoding: bytes[place + 1..<place + 1 + length], as: UTF8.self))
                place += 1 + length
            case 0xc0...0xff:
                guard place + 1 < bytes.count else { return nil }
                let target = (length & 0x3f) << 8 | Int(bytes[place + 1])
                guard target < earliest else { return nil }
                end = end ?? place + 2
                earliest = target
                place = target
            default:
                return nil
            }
        }
        return nil
    }
}
