public import ScanCluster

/// A clock of virtual time, which advances only when a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// _ = clock.schedule(at: clock.now.advanced(by: .seconds(60))) { print("a minute has passed") }
/// clock.advance(by: .seconds(60))
/// ```
public final class ManualClock: ScanClock {
    private struct State {
        var now = Instant(nanoseconds: 0)
        var serial: UInt64 = 0
        var timers: [UInt64: @Sendable () -> Void] = [:]
        /// All timers, and some that were cancelled since: a heap, the earliest first.
        var queue: [Due] = []
        var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []

        /// Removes and returns the waiters whose number of timers is reached.
        mutating func satisfied() -> [CheckedContinuation<Void, Never>] {
            if waiters.isEmpty { return [] }
            let count = timers.count
            defer { waiters.removeAll { $0.count <= count } }
            return waiters.filter { $0.count <= count }.map(\.waiter)
        }

        /// The earliest timer.
        mutating func first() -> Due? {
            while let first = queue.first {
                if timers[first.serial] != nil { return first }
                queue.removeFirstOfHeap()
            }
            return nil
        }
    }
    private let state = Locked(State())

    /// A clock that shows 0.
    public init() {}

    /// The virtual time.
    public var now: Instant { state.withLock { $0.now } }

    /// Sets a timer, which ``advance(by:)`` and ``advanceToNext()`` fire.
    public func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let (timer, woken) = state.withLock { state in
            state.serial += 1
            state.timers[state.serial] = fire
            state.queue.insertIntoHeap(Due(instant: instant, serial: state.serial))
            return (TimerID(rawValue: state.serial), state.satisfied())
        }
        for waiter in woken { waiter.resume() }
        return timer
    }

    /// Cancels a timer. Has no effect on one that has fired.
    public func cancel(_ timer: TimerID) { state.withLock { $0.timers[timer.rawValue] = nil } }

    /// Removes all timers and releases the objects that they refer to, often the clock itself.
    public func cancelAll() {
        let forgotten = state.withLock { state in
            defer { (state.timers, state.queue) = ([:], []) }
            return state.timers
        }
        // Not under the lock: objects released here may cancel timers.
        withExtendedLifetime(forgotten) {}
    }

    /// Timers that are set.
    public var timerCount: Int { state.withLock { $0.timers.count } }

    /// When the next timer is due.
    public var nextDue: Instant? { state.withLock { $0.first()?.instant } }

    /// Returns once at least `count` timers are set.
    public func timers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.timers.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Advances time and fires the timers that become due, in order.
    public func advance(by duration: Duration) {
        let target = now.advanced(by: duration)
        while fireNext(until: target) {}
        state.withLock { $0.now = target }
    }

    /// Advances time and fires nothing, as when a machine was suspended: timers that became due fire late.
    public func jump(by duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    /// Advances time to the next timer and fires it.
    /// - Returns: false if no timer is set.
    @discardableResult
    public func advanceToNext() -> Bool { fireNext(until: Instant(nanoseconds: .max)) }

    private func fireNext(until limit: Instant) -> Bool {
        let fire = state.withLock { state -> (@Sendable () -> Void)? in
            guard let next = state.first(), next.instant <= limit else { return nil }
            state.queue.removeFirstOfHeap()
            state.now = max(state.now, next.instant)
            return state.timers.removeValue(forKey: next.serial)
        }
        fire?()
        return fire != nil
    }
}

/// When a timer is due; among equals, the one that was set first.
private struct Due: Comparable {
    var instant: Instant
    var serial: UInt64

    static func < (left: Due, right: Due) -> Bool { (left.instant, left.serial) < (right.instant, right.serial) }
}

/// A binary heap, the smallest element first.
extension Array where Element: Comparable {
    fileprivate mutating func insertIntoHeap(_ element: Element) {
        append(element)
        var child = count - 1
        while child > 0, self[child] < self[(child - 1) / 2] {
            swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    fileprivate mutating func removeFirstOfHeap() {
        swapAt(0, count - 1)
        removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < count && self[child] < self[least] {
                least = child
            }
            if least == parent { return }
            swapAt(parent, least)
            parent = least
        }
    }
}
