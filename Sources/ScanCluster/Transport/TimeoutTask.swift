/// An operation with a time limit. The time begins when a slot of the system is free for it, as far as this coordinator
/// can tell: it does not see the tasks of other coordinators.
///
/// The base class of ``Attempt``, so that a time-out needs no object of its own. Confined like the attempt.
class TimeoutTask: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    fileprivate enum Phase {
        /// No request is under way. Goes to `waiting` or `running`.
        case stopped
        /// A slot is not free for it yet. Goes to `running` or `stopped`.
        case waiting
        /// Goes to `stopped`.
        case running
    }
    @exclusivity(unchecked) fileprivate final var phase = Phase.stopped
    /// While it runs: its index in ``Timeouts/running``.
    @exclusivity(unchecked) fileprivate final var index = 0
    /// While it runs: when its time is over; the latest instant once it has expired.
    @exclusivity(unchecked) fileprivate final var end = Timeouts.never

    /// The time that it has. Called when that begins, inside the guard of its system.
    func timeLimit() -> Duration { preconditionFailure("only subclasses are used") }

    /// The time is over.
    func expire() {}
}

/// The time limits of the attempts on one system, and the slots that they have or wait for.
///
/// One timer serves all attempts: it is set for an instant no later than the earliest end of a running one. Attempts
/// begin and end far more often than they expire, so that most touch no timer.
final class Timeouts: @unchecked Sendable {
    // Sendable: touched only on the system's executor or inside its guard.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.
    fileprivate static let never = Instant(nanoseconds: .max)
    private let clock: any ScanClock
    /// The guard of the system; nil if it has an executor, on which the clock's timers fire, too.
    private let lock: Locked<Void>?
    @exclusivity(unchecked) private var queue: SlotQueue<TimeoutTask>
    /// At most one for each slot.
    @exclusivity(unchecked) private var running: [TimeoutTask] = []
    @exclusivity(unchecked) private var timer: (id: TimerID, end: Instant)?

    init(slots: Int, clock: any ScanClock, lock: Locked<Void>? = nil) {
        self.clock = clock
        self.lock = lock
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
        guard case .running = phase else { return }
        let next = queue.leave { if case .waiting = $0.phase { true } else { false } }
        if let next { start(next, at: task.index) } else { remove(at: task.index) }
    }

    /// Starts the time of a task, in the place of another that ended if there is one.
    private func start(_ task: TimeoutTask, at index: Int? = nil) {
        task.end = clock.now.advanced(by: task.timeLimit())
        task.phase = .running
        if let index {
            running[index] = task
            task.index = index
        } else {
            task.index = running.count
            running.append(task)
        }
        arm(for: task.end)
    }

    private func remove(at index: Int) {
        let last = running.removeLast()
        if index < running.count {
            running[index] = last
            last.index = index
        }
        if running.isEmpty, let timer {
            clock.cancel(timer.id)
            self.timer = nil
        }
    }

    private func arm(for end: Instant) {
        if let timer {
            if timer.end <= end { return }
            clock.cancel(timer.id)
        }
        timer = (clock.schedule(at: end) { self.expire(at: end) }, end)
    }

    /// The timer has fired. It may be early for the tasks that run now.
    private func expire(at end: Instant) {
        let expire = { () -> [TimeoutTask] in
            // Another thread may have replaced the timer when it had fired.
            guard self.timer?.end == end else { return [] }
            self.timer = nil
            let expired = self.running.filter { $0.end <= end }
            for task in expired { task.end = Self.never }
            let next = self.running.min { $0.end < $1.end }?.end ?? Self.never
            if next < Self.never { self.arm(for: next) }
            return expired
        }
        let expired = lock.map { lock in lock.withLock { _ in expire() } } ?? expire()
        for task in expired { task.expire() }
    }
}
