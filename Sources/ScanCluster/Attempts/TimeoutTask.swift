/// The time limit of one attempt: a timer that expires it. The time begins when a slot of the system is free for the
/// attempt, as far as that is known here: tasks of other coordinators are not.
///
/// Confined like its attempt: see ``Attempt``.
package final class TimeoutTask: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.

    fileprivate enum Phase {
        /// No request is out. Goes to `waiting` or `running`.
        case stopped
        /// A slot is not free for it yet. Goes to `running` or `stopped`.
        case waiting
        /// Goes to `stopped`.
        case running(TimerID)
    }
    fileprivate var phase = Phase.stopped
    package let limit: Duration
    private let timeouts: Timeouts
    fileprivate let expire: @Sendable () -> Void

    package init(_ limit: Duration, of timeouts: Timeouts, expire: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.timeouts = timeouts
        self.expire = expire
    }

    /// A request is on its way. Call once for each.
    package func begin() { timeouts.begin(self) }

    /// The request is over. Calls without ``begin()`` are ignored.
    package func end() { timeouts.end(self) }
}

/// The time limits of the attempts at one system, with the slots that they have or wait for.
package final class Timeouts: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.
    private let clock: any ScanClock
    private var queue: SlotQueue<TimeoutTask>

    package init(slots: Int, clock: any ScanClock) {
        self.clock = clock
        queue = SlotQueue(slots: slots)
    }

    fileprivate func begin(_ task: TimeoutTask) {
        task.phase = .waiting
        if queue.enter(task) { start(task) }
    }

    fileprivate func end(_ task: TimeoutTask) {
        let phase = task.phase
        task.phase = .stopped
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = queue.leave { if case .waiting = $0.phase { true } else { false } }
        if let next { start(next) }
    }

    private func start(_ task: TimeoutTask) {
        task.phase = .running(clock.schedule(at: clock.now.advanced(by: task.limit), task.expire))
    }
}
