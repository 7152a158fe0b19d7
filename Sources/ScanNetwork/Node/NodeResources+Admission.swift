extension NodeResources {
    /// Decides which tasks a node takes, within the limits of its slots, its queue and its memory. Pure.
    package struct Admission {
        /// The answer to a task.
        package enum Decision: Equatable {
            case run
            case refuse(RefusalReason)
        }

        /// Tasks that run at the same time.
        package let slots: Int
        /// Tasks that wait beyond those.
        package let queueLimit: Int
        /// No new tasks are taken.
        package private(set) var isDraining = false
        /// No new tasks are taken for the time being.
        package var isPaused = false
        /// Tasks taken and not yet finished, including those of ended connections: they occupy threads.
        package private(set) var inFlight = 0
        private var memory: MemoryShares

        package init(slots: Int, queueLimit: Int, bulkLimit: Int = .max) {
            self.slots = slots
            self.queueLimit = queueLimit
            memory = MemoryShares(limit: bulkLimit)
        }

        /// Most bulk bytes that tasks in flight brought or refer to; a single task may exceed it.
        package var bulkLimit: Int { memory.limit }

        /// Bulk bytes that tasks in flight brought or refer to.
        package var bulkBytes: Int { memory.used }

        /// Tasks that run now.
        package var running: Int { min(inFlight, slots) }

        /// Tasks that wait for a slot.
        package var queued: Int { inFlight - running }

        /// Whether all slots and queue places are taken.
        package var isFull: Bool { inFlight >= slots + queueLimit }

        /// A task arrived with `bulk` bytes on a connection of that weight.
        package mutating func admit(bulk: Int = 0, of connection: ConnectionID = 0, weight: Double = 1) -> Decision {
            if isDraining || isPaused { return .refuse(.draining) }
            if isFull { return .refuse(.queueFull) }
            guard bulk == 0 || memory.take(bulk, for: connection, weight: weight) else { return .refuse(.queueFull) }
            inFlight += 1
            return .run
        }

        /// An admitted task has ended, with any outcome, and its `bulk` bytes are freed.
        /// - Returns: true if the node is draining and this was its last task.
        package mutating func finish(bulk: Int = 0, of connection: ConnectionID = 0) -> Bool {
            inFlight -= 1
            if bulk > 0 { memory.giveBack(bulk, of: connection) }
            return isDraining && inFlight == 0
        }

        /// A connection has ended: nothing is held ready for it any more.
        package mutating func drop(_ connection: ConnectionID) { memory.drop(connection) }

        /// Refuses new tasks from now on.
        /// - Returns: true if no task is in flight.
        package mutating func drain() -> Bool {
            isDraining = true
            return inFlight == 0
        }

        /// Whether the invariants hold.
        package var isConsistent: Bool {
            inFlight >= 0 && inFlight <= slots + queueLimit && memory.isConsistent && (inFlight > 0 || bulkBytes == 0)
        }
    }
}
