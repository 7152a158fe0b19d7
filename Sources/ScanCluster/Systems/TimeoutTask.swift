/// An operation with a time limit. The time begins when a slot of the system is free for it, as far as this coordinator
/// can tell: it does not see the tasks of other coordinators.
///
/// The base class of ``ScanSystem/Attempt``, so that a time-out needs no object of its own. Confined like the attempt.
class TimeoutTask: @unchecked Sendable {
    // Sendable: touched only on the system's executor.
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
    /// While it runs: its index in ``ScanSystem/Timeouts/running``.
    @exclusivity(unchecked) fileprivate final var index = 0
    /// While it runs: when its time is over; the latest instant once it has expired.
    @exclusivity(unchecked) fileprivate final var end = ScanSystem.Timeouts.never

    /// The time that it has; nil if that is not limited. Called when it begins.
    func timeLimit() -> Duration? { nil }

    /// Starts it.
    func begin(on system: isolated ScanSystem) {}

    /// Its reply was read.
    func settle(on system: isolated ScanSystem) {}

    /// The time is over.
    func expire(on system: isolated ScanSystem) {}

    /// Whether the request that is under way has this handle.
    func has(_ handle: AttemptHandle) -> Bool { false }

    /// The task reports something of itself.
    func reported(_ report: TaskReport) {}
}

extension ScanSystem {
    /// The attempts that have a slot of a system or wait for one, and their time limits. Pure, but for what it keeps in
    /// its elements.
    ///
    /// One timer serves all: it is set for an instant no later than the earliest end of a running one. Attempts begin
    /// and end far more often than they expire, so that most touch no timer.
    struct Timeouts {
        fileprivate static let never = Instant(nanoseconds: .max)
        private var queue: SlotQueue<TimeoutTask>
        /// At most one for each slot.
        private var running: [TimeoutTask] = []
        /// When the timer must fire; nil if none is needed.
        private(set) var due: Instant?

        init(slots: Int) { queue = SlotQueue(slots: slots) }

        /// A request is on its way. Call once for each. One that follows another, as a reference follows a key whose
        /// bytes the node has dropped, keeps the slot or the place of the other, and its time begins again.
        mutating func begin(_ task: TimeoutTask, now: () -> Instant) {
            switch task.phase {
            case .waiting: return
            case .running: start(task, at: task.index, now)
            case .stopped:
                task.phase = .waiting
                if queue.enter(task) { start(task, now) }
            }
        }

        /// The attempt whose request has this handle; nil if there is none. Takes longer the more there are.
        func find(_ handle: AttemptHandle) -> TimeoutTask? {
            running.first { $0.has(handle) } ?? queue.firstWaiting { $0.has(handle) }
        }

        /// The request is over. Calls without ``begin(_:now:)`` are ignored.
        mutating func end(_ task: TimeoutTask, now: () -> Instant) {
            let phase = task.phase
            task.phase = .stopped
            guard case .running = phase else { return }
            let next = queue.leave { if case .waiting = $0.phase { true } else { false } }
            if let next { start(next, at: task.index, now) } else { remove(at: task.index) }
        }

        /// Starts the time of a task, in the place of another that ended if there is one.
        private mutating func start(_ task: TimeoutTask, at index: Int? = nil, _ now: () -> Instant) {
            let limit = task.timeLimit()
            task.end = limit.map { now().advanced(by: $0) } ?? Self.never
            task.phase = .running
            if let index {
                running[index] = task
                task.index = index
            } else {
                task.index = running.count
                running.append(task)
            }
            if limit != nil, task.end < due ?? Self.never { due = task.end }
        }

        private mutating func remove(at index: Int) {
            let last = running.removeLast()
            if index < running.count {
                running[index] = last
                last.index = index
            }
            if running.isEmpty { due = nil }
        }

        /// The timer has fired. It may be early for the tasks that run now.
        /// - Returns: those whose time is over.
        mutating func expire(at end: Instant) -> [TimeoutTask] {
            let expired = running.filter { $0.end <= end }
            for task in expired { task.end = Self.never }
            let next = running.min { $0.end < $1.end }?.end ?? Self.never
            due = next < Self.never ? next : nil
            return expired
        }
    }
}
