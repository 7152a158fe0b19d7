package import ScanCluster

/// Timers in a hierarchy of wheels: 64 buckets of 1 ms, 64 buckets of 64 ms, and so on. Setting, cancelling and finding the
/// next deadline take constant time, so that every task in flight can have a time-out of its own.
///
/// After Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (1987), with a bit per bucket in use. A deadline is
/// rounded up to the next millisecond; a timer never fires early.
package struct TimerWheel<Payload> {
    private struct Entry {
        var tick: Int64 = 0
        var payload: Payload?
        var generation: UInt32 = 0
        var bucket: Int32 = -1
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private static var levels: Int { 8 }
    private static var nanosecondsPerTick: Int64 { 1_000_000 }

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var heads = [Int32](repeating: -1, count: 64 * levels)
    private var occupied = [UInt64](repeating: 0, count: levels)
    private var elapsed: Int64

    /// Number of timers that are set, or due and not taken.
    package var count: Int { entries.count - free.count }

    /// A wheel without timers whose time is `now`.
    package init(now: Instant) { elapsed = now.nanoseconds / Self.nanosecondsPerTick }

    package mutating func schedule(at deadline: Instant, _ payload: Payload) -> TimerID {
        let index: Int
        if let reused = free.popLast() {
            index = Int(reused)
        } else {
            index = entries.count
            entries.append(Entry())
        }
        let (whole, rest) = deadline.nanoseconds.quotientAndRemainder(dividingBy: Self.nanosecondsPerTick)
        entries[index].tick = rest > 0 ? whole + 1 : whole
        entries[index].payload = payload
        link(index)
        return name(of: index)
    }

    private func name(of index: Int) -> TimerID {
        TimerID(rawValue: UInt64(entries[index].generation) << 32 | UInt64(index))
    }

    /// Cancels a timer; false if it has fired or was cancelled before.
    @discardableResult
    package mutating func cancel(_ timer: TimerID) -> Bool {
        let index = Int(truncatingIfNeeded: timer.rawValue & 0xffff_ffff)
        guard index < entries.count, entries[index].payload != nil,
            UInt64(entries[index].generation) == timer.rawValue >> 32
        else { return false }
        if entries[index].bucket >= 0 { unlink(index) }
        _ = release(index)
        return true
    }

    /// Ends a timer that is due.
    /// - Returns: its payload; nil if it was cancelled since it became due.
    package mutating func take(_ timer: TimerID) -> Payload? {
        let index = Int(truncatingIfNeeded: timer.rawValue & 0xffff_ffff)
        guard index < entries.count, entries[index].payload != nil, entries[index].bucket < 0,
            UInt64(entries[index].generation) == timer.rawValue >> 32
        else { return nil }
        return release(index)
    }

    /// When ``expire(until:into:)`` has something to do next: no later than the earliest deadline.
    package var nextDeadline: Instant? {
        nextBucket.map { Instant(nanoseconds: $0.tick * Self.nanosecondsPerTick) }
    }

    /// Moves the wheel's time to `now` and appends the timers that are due, in order of deadline. Each waits for
    /// ``take(_:)``, and may be cancelled until then.
    package mutating func expire(until now: Instant, into due: inout [TimerID]) {
        let target = now.nanoseconds / Self.nanosecondsPerTick
        while let next = nextBucket, next.tick <= target {
            elapsed = max(elapsed, next.tick)
            var index = heads[next.bucket]
            heads[next.bucket] = -1
            occupied[next.bucket / 64] &= ~(1 << UInt64(next.bucket % 64))
            while index >= 0 {
                let following = entries[Int(index)].next
                if next.bucket < 64 {
                    entries[Int(index)].bucket = -1
                    due.append(name(of: Int(index)))
                } else {
                    link(Int(index))
                }
                index = following
            }
        }
        elapsed = max(elapsed, target)
    }

    /// The first bucket in use and the tick at which it begins. Buckets of a lower level always come first, because a timer
    /// sits at the level of the highest digit (base 64) in which its tick differs from the wheel's time.
    private var nextBucket: (bucket: Int, tick: Int64)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            let digit = occupied[level].trailingZeroBitCount
            let shift = Int64(6 * level)
            let base = level == Self.levels - 1 ? 0 : (elapsed >> (shift + 6)) << (shift + 6)
            return (level * 64 + digit, base | (Int64(digit) << shift))
        }
        return nil
    }

    private mutating func link(_ index: Int) {
        let tick = max(entries[index].tick, elapsed)
        let difference = UInt64(bitPattern: tick ^ elapsed) | 63
        let level = min((63 - difference.leadingZeroBitCount) / 6, Self.levels - 1)
        let digit = Int(truncatingIfNeeded: tick >> Int64(6 * level)) & 63
        let bucket = level * 64 + digit
        let head = heads[bucket]
        entries[index].bucket = Int32(bucket)
        entries[index].previous = -1
        entries[index].next = head
        if head >= 0 { entries[Int(head)].previous = Int32(index) }
        heads[bucket] = Int32(index)
        occupied[level] |= 1 << UInt64(digit)
    }

    private mutating func unlink(_ index: Int) {
        let entry = entries[index]
        if entry.next >= 0 { entries[Int(entry.next)].previous = entry.previous }
        if entry.previous >= 0 {
            entries[Int(entry.previous)].next = entry.next
        } else {
            heads[Int(entry.bucket)] = entry.next
            if entry.next < 0 { occupied[Int(entry.bucket) / 64] &= ~(1 << UInt64(entry.bucket % 64)) }
        }
    }

    private mutating func release(_ index: Int) -> Payload? {
        let payload = entries[index].payload
        entries[index].payload = nil
        entries[index].generation &+= 1
        free.append(Int32(index))
        return payload
    }
}
