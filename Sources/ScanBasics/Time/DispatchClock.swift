import Dispatch
import Synchronization

/// A monotonic clock with timers on its own Dispatch queue.
package final class DispatchClock: ScanClock, @unchecked Sendable {
    // Sendable: `live` is accessed on `queue` only.
    private let queue = DispatchQueue(label: "skyfarm.clock")
    private let count = Atomic<UInt64>(0)
    private var live: Set<TimerID> = []

    /// A clock for those who need none of their own.
    package static let shared = DispatchClock()

    package init() {}

    package var now: Instant { Instant(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)) }

    package func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let id = TimerID(rawValue: count.add(1, ordering: .relaxed).newValue)
        queue.async { [self] in live.insert(id) }
        let deadline = DispatchTime(uptimeNanoseconds: UInt64(max(0, instant.nanoseconds)))
        queue.asyncAfter(deadline: deadline) { [self] in
            if live.remove(id) != nil { fire() }
        }
        return id
    }

    package func cancel(_ timer: TimerID) { queue.async { [self] in live.remove(timer) } }
}
