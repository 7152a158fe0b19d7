/// Decides which tasks a node takes, within the limits of its slots, its queue and its memory. Pure.
package struct AdmissionState {
    /// The answer to a task.
    package enum Decision: Equatable {
        case run
        case refuse(RefusalReason)
    }

    /// Tasks that run at the same time.
    package let slots: Int
    /// Tasks that wait beyond those.
    package let queueLimit: Int
    /// Most bulk bytes that tasks in flight brought or refer to; a single task may exceed it.
    package let bulkLimit: Int
    /// No new tasks are taken.
    package private(set) var isDraining = false
    /// No new tasks are taken for the time being.
    package var isPaused = false
    /// Tasks taken and not yet finished, including those of ended connections: they occupy threads.
    package private(set) var inFlight = 0
    /// Bulk bytes that tasks in flight brought or refer to.
    package private(set) var bulkBytes = 0

    package init(slots: Int, queueLimit: Int, bulkLimit: Int = .max) {
        self.slots = slots
        self.queueLimit = queueLimit
        self.bulkLimit = bulkLimit
    }

    /// Tasks that run now.
    package var running: Int { min(inFlight, slots) }

    /// Tasks that wait for a slot.
    package var queued: Int { inFlight - running }

    /// Whether all slots and queue places are taken.
    package var isFull: Bool { inFlight >= slots + queueLimit }

    /// A task arrived with `bulk` bytes.
    package mutating func admit(bulk: Int = 0) -> Decision {
        if isDraining || isPaused { return .refuse(.draining) }
        if isFull { return .refuse(.queueFull) }
        guard bulk == 0 || bulkBytes == 0 || bulk <= bulkLimit - bulkBytes else { return .refuse(.queueFull) }
        inFlight += 1
        bulkBytes += bulk
        return .run
    }

    /// An admitted task has ended, with any outcome, and its `bulk` bytes are freed.
    /// - Returns: true if the node is draining and this was its last task.
    package mutating func finish(bulk: Int = 0) -> Bool {
        inFlight -= 1
        bulkBytes -= bulk
        return isDraining && inFlight == 0
    }

    /// Refuses new tasks from now on.
    /// - Returns: true if no task is in flight.
    package mutating func drain() -> Bool {
        isDraining = true
        return inFlight == 0
    }

    /// Whether the invariants hold.
    package var isConsistent: Bool {
        inFlight >= 0 && inFlight <= slots + queueLimit && bulkBytes >= 0 && (inFlight > 0 || bulkBytes == 0)
    }
}
