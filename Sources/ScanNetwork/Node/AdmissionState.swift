/// Decides which tasks a node takes: as many as its slots, its queue and its memory hold. Pure.
package struct AdmissionState {
    /// Names a connection; its tasks are its lease.
    package typealias Lease = Int

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
    private var leases: [Lease: Int] = [:]

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

    /// Tasks that a connection has in flight.
    package func inFlight(of lease: Lease) -> Int { leases[lease] ?? 0 }

    /// A task came, with so many bytes of bulk.
    package mutating func admit(_ lease: Lease, bulk: Int = 0) -> Decision {
        if isDraining { return .refuse(.draining) }
        if isFull { return .refuse(.queueFull) }
        guard bulk == 0 || bulkBytes == 0 || bulk <= bulkLimit - bulkBytes else { return .refuse(.queueFull) }
        inFlight += 1
        bulkBytes += bulk
        leases[lease, default: 0] += 1
        return .run
    }

    /// A task that was admitted is finished, whatever came of it, and its bytes of bulk are let go.
    /// - Returns: true if the node is draining and this was its last task.
    package mutating func finish(_ lease: Lease, bulk: Int = 0) -> Bool {
        inFlight -= 1
        bulkBytes -= bulk
        if let count = leases[lease] { leases[lease] = count > 1 ? count - 1 : nil }
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
        inFlight >= 0 && inFlight <= slots + queueLimit && leases.values.reduce(0, +) == inFlight
            && leases.values.allSatisfy { $0 > 0 }
    }
}
