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
    /// Where the task may go.
    package var placement = Placement.anywhere
    /// Systems that failed the task; used again only if there is no other.
    package var avoiding: [SystemID] = []

    /// A request for a first attempt.
    package init(cost: Double, key: BulkKey? = nil) {
        self.cost = cost
        self.key = key
    }
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
