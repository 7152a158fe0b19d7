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
        case waiting
        /// Goes to `stopped`.
        case running(TimerID)
    }
    fileprivate final var phase = Phase.stopped

    /// The time that it has. Called when that begins, inside the guard of its system.
    func timeLimit() -> Duration { preconditionFailure("only subclasses are used") }

    /// The time is over.
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

    /// A request is on its way. Call once for each.
    func begin(_ task: TimeoutTask) {
        task.phase = .waiting
        if queue.enter(task) { start(task) }
    }

    /// The request is over. Calls without ``begin(_:)`` are ignored.
    func end(_ task: TimeoutTask) {
        let phase = task.phase
        task.phase = .stopped
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = queue.leave { if case .waiting = $0.phase { true } else { false } }
        if let next { start(next) }
    }

    private func start(_ task: TimeoutTask) {
        let end = clock.now.advanced(by: task.timeLimit())
        task.phase = .running(clock.schedule(at: end) { task.expire() })
    }
}
