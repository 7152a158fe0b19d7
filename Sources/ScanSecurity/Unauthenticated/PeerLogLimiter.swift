package import ScanBasics

/// Rate limit of log lines: one per peer and minute, so that no peer can fill the disk. Performs no I/O.
package struct PeerLogLimiter<Peer: Hashable> {
    private struct Entry {
        var since: Instant
        var suppressed = 0
    }

    private var entries: [Peer: Entry] = [:]
    private let interval: Duration
    private let capacity: Int
    /// The entry shared by all peers beyond `capacity`.
    private var overflow: Entry?

    /// Creates a limiter that remembers at most `capacity` peers; all further peers share one line per interval.
    package init(interval: Duration = .seconds(60), capacity: Int = 1024) {
        self.interval = interval
        self.capacity = capacity
    }

    /// Decides whether a line about `peer` may be written at `now`.
    /// - Returns: the number of lines suppressed since the last one written, or nil if this one is suppressed as well.
    package mutating func admit(_ peer: Peer, at now: Instant) -> Int? {
        if entries[peer] == nil, entries.count >= capacity {
            entries = entries.filter { now.since($0.value.since) < interval }
            if entries.count >= capacity { return Self.admit(&overflow, at: now, interval) }
        }
        return Self.admit(&entries[peer], at: now, interval)
    }

    private static func admit(_ entry: inout Entry?, at now: Instant, _ interval: Duration) -> Int? {
        if let last = entry, now.since(last.since) < interval {
            entry?.suppressed += 1
            return nil
        }
        let suppressed = entry?.suppressed ?? 0
        entry = Entry(since: now)
        return suppressed
    }
}
