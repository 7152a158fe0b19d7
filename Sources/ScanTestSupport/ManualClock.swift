package import ScanCluster

/// Virtual time: stands still until a test advances it.
package final class ManualClock: ScanClock {
    private struct State {
        var now = Instant(nanoseconds: 0)
        var serial: UInt64 = 0
        var timers: [UInt64: (due: Instant, fire: @Sendable () -> Void)] = [:]
        var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []

        /// Those who wait for no more timers than there are.
        mutating func satisfied() -> [CheckedContinuation<Void, Never>] {
            let count = timers.count
            defer { waiters.removeAll { $0.count <= count } }
            return waiters.filter { $0.count <= count }.map(\.waiter)
        }
    }
    private let state = Locked(State())

    /// A clock that shows 0.
    package init() {}

    package var now: Instant { state.withLock { $0.now } }

    package func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let (timer, woken) = state.withLock { state in
            state.serial += 1
            state.timers[state.serial] = (instant, fire)
            return (TimerID(rawValue: state.serial), state.satisfied())
        }
        for waiter in woken { waiter.resume() }
        return timer
    }

    package func cancel(_ timer: TimerID) { state.withLock { $0.timers[timer.rawValue] = nil } }

    /// Timers that are set.
    package var timerCount: Int { state.withLock { $0.timers.count } }

    /// Returns once at least `count` timers are set.
    package func timers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.timers.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Moves time on and fires what falls due on the way, in order.
    package func advance(by duration: Duration) {
        let target = now.advanced(by: duration)
        while fireNext(until: target) {}
        state.withLock { $0.now = target }
    }

    /// Moves time to the next timer and fires it.
    /// - Returns: false if no timer is set.
    @discardableResult
    package func advanceToNext() -> Bool { fireNext(until: Instant(nanoseconds: .max)) }

    private func fireNext(until limit: Instant) -> Bool {
        let fire = state.withLock { state -> (@Sendable () -> Void)? in
            let next = state.timers.min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            guard let next, next.value.due <= limit else { return nil }
            state.timers[next.key] = nil
            state.now = max(state.now, next.value.due)
            return next.value.fire
        }
        fire?()
        return fire != nil
    }
}
