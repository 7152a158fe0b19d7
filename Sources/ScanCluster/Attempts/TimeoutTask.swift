/// Something with a time limit, which a timer expires. The time begins when a slot of the system is free for it, as far
/// as that is known here: tasks of other coordinators are not.
///
/// A protocol to which ``Attempt`` conforms, so that a time-out costs no object of its own. Confined like its attempt.
package protocol TimeoutTask: AnyObject, Sendable {
    /// `.stopped` at first; changed by ``Timeouts`` alone.
    var timeoutPhase: TimeoutPhase { get set }

    /// The time is over.
    func expire()
}

package enum TimeoutPhase {
    /// No request is out. Goes to `waiting` or `running`.
    case stopped
    /// A slot is not free for it yet. Goes to `running` or `stopped`.
    case waiting(Duration)
    /// Goes to `stopped`.
    case running(TimerID)
}

/// The time limits of the attempts at one system, with the slots that they have or wait for.
package final class Timeouts: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.
    private let clock: any ScanClock
    private var queue: SlotQueue<any TimeoutTask>

    package init(slots: Int, clock: any ScanClock) {
        self.clock = clock
        queue = SlotQueue(slots: slots)
    }

    /// A request is on its way, and may take `limit`. Call once for each.
    package func begin(_ task: any TimeoutTask, _ limit: Duration) {
        task.timeoutPhase = .waiting(limit)
        if queue.enter(task) { start(task, limit) }
    }

    /// The request is over. Calls without ``begin(_:_:)`` are ignored.
    package func end(_ task: any TimeoutTask) {
        let phase = task.timeoutPhase
        task.timeoutPhase = .stopped
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = queue.leave { if case .waiting = $0.timeoutPhase { true } else { false } }
        if let next, case .waiting(let limit) = next.timeoutPhase { start(next, limit) }
    }

    private func start(_ task: any TimeoutTask, _ limit: Duration) {
        task.timeoutPhase = .running(clock.schedule(at: clock.now.advanced(by: limit)) { task.expire() })
    }
}
