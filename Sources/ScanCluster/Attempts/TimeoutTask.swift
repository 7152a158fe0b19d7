/// An operation with a time limit. The time begins when a slot of the system is free for it, as far as this coordinator
/// can tell: it does not see the tasks of other coordinators.
///
/// The base class of ``Attempt``, so that a time-out needs no object of its own. Confined like the attempt.
class TimeoutTask: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.

    fileprivate enum Phase {
        /// No request is under way. Goes to `waiting` or `running`.
        case stopped
        /// A slot is not free for it yet. Goes to `running` or `stopped`.
        case waiting(Duration)
        /// Goes to `stopped`.
        case running(TimerID)
    }
    fileprivate final var phase = Phase.stopped

    /// Called when the time is over.
    func expire() {}
}

/// The time limits of the attempts on one system, and the slots that they have or wait for.
final class Timeouts: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.
    private let clock: any ScanClock
    private var queue: SlotQueue<TimeoutTask>

    init(slots: Int, clock: any ScanClock) {
        self.clock = clock
        queue = SlotQueue(slots: slots)
    }

    /// A request is sent, and may take `limit`. Call once for each.
    func begin(_ task: TimeoutTask, _ limit: Duration) {
        task.phase = .waiting(limit)
        if queue.enter(task) { start(task, limit) }
    }

    /// The request is over. Calls without ``begin(_:_:)`` are ignored.
    func end(_ task: TimeoutTask) {
        let phase = task.phase
        task.phase = .stopped
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = queue.leave { if case .waiting = $0.phase { true } else { false } }
        if let next, case .waiting(let limit) = next.phase { start(next, limit) }
    }

    private func start(_ task: TimeoutTask, _ limit: Duration) {
        task.phase = .running(clock.schedule(at: clock.now.advanced(by: limit)) { task.expire() })
    }
}
