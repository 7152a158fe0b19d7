import ScanBasics
import ScanCluster

/// Decides which results a process keeps: those that were used last, within a number of bytes and for a time. Pure.
struct KeptLedger {
    private struct Entry {
        var count: Int
        var used: Instant
    }

    /// Most bytes.
    var limit: Int
    /// How long a result is kept after its last use.
    var lifetime: Duration
    /// Bytes that are kept.
    private(set) var used = 0
    private var entries: [UInt64: Entry] = [:]

    /// Nothing yet.
    init(limit: Int, lifetime: Duration) { (self.limit, self.lifetime) = (limit, lifetime) }

    /// Number of results that are kept.
    var count: Int { entries.count }

    /// When the next result has to go, if nobody uses it; nil if none is kept.
    var nextEnd: Instant? { entries.values.map(\.used).min()?.advanced(by: lifetime) }

    /// A result of `count` bytes arrives under `number`.
    /// - Returns: the results that go for it; nil if it is larger than the limit, and is not kept.
    mutating func add(_ number: UInt64, count: Int, at now: Instant) -> [UInt64]? {
        guard count <= limit else { return nil }
        let gone = makeRoom(for: count, at: now)
        entries[number] = Entry(count: count, used: now)
        used += count
        return gone
    }

    /// Removes the results whose time is over, and then those that were used longest ago, until `count` bytes are free.
    /// - Returns: them; none if there is room already.
    mutating func makeRoom(for count: Int = 0, at now: Instant) -> [UInt64] {
        // This runs for each result that arrives: it looks at the others only if there is no room.
        var gone = count <= limit - used ? [] : expire(at: now)
        while count > limit - used,
            let (oldest, _) = entries.min(by: { ($0.value.used, $0.key) < ($1.value.used, $1.key) })
        {
            remove(oldest)
            gone.append(oldest)
        }
        return gone
    }

    /// A result is used.
    /// - Returns: whether it is kept.
    mutating func use(_ number: UInt64, at now: Instant) -> Bool {
        guard let entry = entries[number], now < entry.used.advanced(by: lifetime) else { return false }
        entries[number]?.used = now
        return true
    }

    /// A result is not needed any more.
    mutating func remove(_ number: UInt64) { used -= entries.removeValue(forKey: number)?.count ?? 0 }

    /// Removes the results whose time is over.
    /// - Returns: them.
    mutating func expire(at now: Instant) -> [UInt64] {
        let gone = entries.filter { now >= $0.value.used.advanced(by: lifetime) }.keys.sorted()
        for number in gone { remove(number) }
        return gone
    }
}
