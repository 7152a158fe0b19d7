/// The properties of a task on which the choice of a system depends.
package struct TaskRequest: Equatable, Sendable {
    /// Where a task may go.
    package enum Placement: Equatable, Sendable {
        /// Wherever it is expected to finish first.
        case anywhere
        /// To the local system if that has a slot within the time that another one would need, and is not avoided: the cause
        /// of a failure may lie in the other system, or in the way to it.
        case localFirst
    }
    /// The work that is expected, in the units of `ScanTask.cost`.
    package var cost: Double
    /// Key of the bulk bytes the task needs.
    package var key: BulkKey?
    /// Number of the task's bulk bytes.
    package var bytes = 0
    /// See ``BulkSource/isRelayed``.
    package var isRelayed = false
    /// Whether a system that reads files may read the bulk bytes itself.
    package var isReferable = false
    /// Number of what it reads them from; 0 if that is not known.
    package var origin = 0
    /// What limits the choice; nil for most tasks. In an object of its own, because a request is copied a dozen times per
    /// task, and each array or set in it costs more than the rest.
    private var limits: Limits?

    /// Tags that a system must have.
    package var tags: Set<String> {
        get { limits?.tags ?? [] }
        set { limits = .of(tags: newValue, placement: placement, avoiding: avoiding, isSuspect: isSuspect) }
    }
    /// Where the task may go.
    package var placement: Placement {
        get { limits?.placement ?? .anywhere }
        set { limits = .of(tags: tags, placement: newValue, avoiding: avoiding, isSuspect: isSuspect) }
    }
    /// Systems that failed the task; used again only if there is no other.
    package var avoiding: [SystemID] {
        get { limits?.avoiding ?? [] }
        set { limits = .of(tags: tags, placement: placement, avoiding: newValue, isSuspect: isSuspect) }
    }
    /// Whether a process has ended while it ran the task, which may be the cause.
    package var isSuspect: Bool {
        get { limits?.isSuspect ?? false }
        set { limits = .of(tags: tags, placement: placement, avoiding: avoiding, isSuspect: newValue) }
    }

    /// A request for a first attempt.
    package init(
        cost: Double, key: BulkKey? = nil, bytes: Int = 0, isRelayed: Bool = false, isReferable: Bool = false,
        tags: Set<String> = []
    ) {
        self.cost = cost
        self.key = key
        self.bytes = bytes
        self.isRelayed = isRelayed
        self.isReferable = isReferable
        limits = .of(tags: tags, placement: .anywhere, avoiding: [], isSuspect: false)
    }

    /// A request for a first attempt at a task with the bulk bytes of `source`.
    init(cost: Double, source: BulkSource?, tags: Set<String>) {
        self.init(
            cost: cost, key: source?.key, bytes: source?.sentCount ?? 0, isRelayed: source?.isRelayed ?? false,
            isReferable: source?.reference?.identifiesBytes ?? false, tags: tags)
        if isReferable, let reference = source?.reference { origin = BulkReference.number(of: reference.origin) }
    }

    /// Whether the task may go anywhere.
    var isFree: Bool { limits == nil }

    /// Whether a system with these tags suits the task.
    func suits(_ tags: Set<String>) -> Bool { limits?.tags.isSubset(of: tags) ?? true }

    private final class Limits: Equatable, Sendable {
        let tags: Set<String>
        let placement: Placement
        let avoiding: [SystemID]
        let isSuspect: Bool

        private init(_ tags: Set<String>, _ placement: Placement, _ avoiding: [SystemID], _ isSuspect: Bool) {
            (self.tags, self.placement, self.avoiding, self.isSuspect) = (tags, placement, avoiding, isSuspect)
        }

        /// Nil if nothing is limited. Not an initializer: that would allocate the object first.
        static func of(
            tags: Set<String>, placement: Placement, avoiding: [SystemID], isSuspect: Bool
        ) -> Limits? {
            if tags.isEmpty, placement == .anywhere, avoiding.isEmpty, !isSuspect { return nil }
            return Limits(tags, placement, avoiding, isSuspect)
        }

        static func == (left: Limits, right: Limits) -> Bool {
            left.tags == right.tags && left.placement == right.placement && left.avoiding == right.avoiding
                && left.isSuspect == right.isSuspect
        }
    }
}

/// A task that waits for a system.
package struct PendingTask: Equatable, Sendable {
    /// Its entry in the ledger.
    package var entry: Int
    package var request: TaskRequest

    /// A task of that entry.
    package init(entry: Int, request: TaskRequest) {
        self.entry = entry
        self.request = request
    }
}
