internal import Dispatch
internal import Synchronization

/// The time of this machine since its start, with timers on a Dispatch queue of its own: the clock of a farm that has no
/// event loop.
public final class DispatchClock: ScanClock, @unchecked Sendable {
    // Sendable: `live` is accessed on `queue` only.
    private let queue = DispatchQueue(label: "skyfarm.clock")
    private let count = Atomic<UInt64>(0)
    private var live: Set<TimerID> = []

    /// A clock for those who need none of their own.
    package static let shared = DispatchClock()

    /// A clock without timers.
    public init() {}

    /// The time since the start of the machine.
    public var now: Instant { Instant(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)) }

    /// Calls `fire` on the clock's queue.
    public func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let id = TimerID(rawValue: count.add(1, ordering: .relaxed).newValue)
        queue.async { [self] in live.insert(id) }
        let deadline = DispatchTime(uptimeNanoseconds: UInt64(max(0, instant.nanoseconds)))
        queue.asyncAfter(deadline: deadline) { [self] in
            if live.remove(id) != nil { fire() }
        }
        return id
    }

    /// Cancels a timer. Has no effect on a timer that has fired.
    public func cancel(_ timer: TimerID) { queue.async { [self] in live.remove(timer) } }
}
