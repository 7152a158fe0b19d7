/// The properties of a task on which the choice of a system depends.
package struct TaskRequest: Equatable, Sendable {
    /// Where a task may go.
    package enum Placement: Equatable, Sendable {
        /// Wherever it is expected to finish first.
        case anywhere
        /// To the local system if that has slots and is not avoided: the cause of a failure may lie in another system.
        case localFirst
    }
    /// Expected work.
    package var cost: Double
    /// Key of the bulk bytes the task needs.
    package var key: BulkKey?
    /// Number of the task's bulk bytes.
    package var bytes = 0
    /// See ``BulkSource/isRelayed``.
    package var isRelayed = false
    /// Tags that a system must have.
    package var tags: Set<String> = []
    /// Where the task may go.
    package var placement = Placement.anywhere
    /// Systems that failed the task; used again only if there is no other.
    package var avoiding: [SystemID] = []

    /// A request for a first attempt.
    package init(
        cost: Double, key: BulkKey? = nil, bytes: Int = 0, isRelayed: Bool = false, tags: Set<String> = []
    ) {
        self.cost = cost
        self.key = key
        self.bytes = bytes
        self.isRelayed = isRelayed
        self.tags = tags
    }

    /// Whether a system with these tags suits the task.
    func suits(_ tags: Set<String>) -> Bool { self.tags.isEmpty || self.tags.isSubset(of: tags) }
}

/// A task that waits for a system.
package struct PendingTask: Equatable, Sendable {
    /// Its entry in the ledger.
    package var entry: Int
    /// Its requirements.
    package var request: TaskRequest

    /// A task of that entry.
    package init(entry: Int, request: TaskRequest) {
        self.entry = entry
        self.request = request
    }
}
