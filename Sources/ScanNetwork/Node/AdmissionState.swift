/// Decides which tasks a node takes: as many as its slots, its queue and its memory hold. Pure.
package struct AdmissionState {
    /// The answer to a task that wants to be run.
    package enum Decision: Equatable {
        case run
        case refuse(RefusalReason)
    }

    /// Tasks that run at the same time.
    package let slots: Int
    /// Tasks that wait beyond those.
    package let queueLimit: Int
    /// Most bytes of bulk that came with the tasks in flight; a single task may bring more.
    package let bulkLimit: Int
    /// No new tasks are taken.
    package private(set) var isDraining = false
    /// Tasks taken and not yet finished, of connections that ended as well: they occupy threads.
    package private(set) var inFlight = 0
    /// Bytes of bulk that came with the tasks in flight.
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

    /// Whether slots and queue are taken.
    package var isFull: Bool { inFlight >= slots + queueLimit }

    /// A task came, with so many bytes of bulk.
    package mutating func admit(bulk: Int = 0) -> Decision {
        if isDraining { return .refuse(.draining) }
        if isFull { return .refuse(.queueFull) }
        guard bulk == 0 || bulkBytes == 0 || bulk <= bulkLimit - bulkBytes else { return .refuse(.queueFull) }
        inFlight += 1
        bulkBytes += bulk
        return .run
    }

    /// A task that was admitted is finished, whatever came of it, and its bytes of bulk are let go.
    /// - Returns: true if the node is draining and this was its last task.
    package mutating func finish(bulk: Int = 0) -> Bool {
        inFlight -= 1
        bulkBytes -= bulk
        return isDraining && inFlight == 0
    }

    /// Takes no new tasks from now on.
    /// - Returns: true if there is none to wait for.
    package mutating func drain() -> Bool {
        isDraining = true
        return inFlight == 0
    }

    /// Whether the numbers add up.
    package var isConsistent: Bool {
        inFlight >= 0 && inFlight <= slots + queueLimit && bulkBytes >= 0 && (inFlight > 0 || bulkBytes == 0)
    }
}
