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
    /// Number of tasks that it stands for: more than one in a chunk.
    package var tasks = 1
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

    /// What a system must have, so that a task may go there.
    package struct Needs: Hashable, Sendable {
        /// Tags that a system must have.
        package var tags: Set<String> = []
        /// Slots that the task takes.
        package var slots = 1
        /// Bytes that the task takes of the system's memory.
        package var memory = 0

        package init(tags: Set<String> = [], slots: Int = 1, memory: Int = 0) {
            (self.tags, self.slots, self.memory) = (tags, max(1, slots), max(0, memory))
        }

        /// Whether every system suits.
        var isNothing: Bool { slots == 1 && memory == 0 && tags.isEmpty }

        /// What `task` needs.
        init(of task: some ScanTask) {
            self.init(tags: task.requiredTags, slots: task.slots, memory: task.requiredMemory)
        }
    }

    /// What a system must have.
    package var needs: Needs {
        get { values.needs }
        set { values.needs = newValue }
    }
    /// Where the task may go.
    package var placement: Placement {
        get { values.placement }
        set { values.placement = newValue }
    }
    /// Systems that failed the task; used again only if there is no other.
    package var avoiding: [SystemID] {
        get { values.avoiding }
        set { values.avoiding = newValue }
    }
    /// Whether a process has ended while it ran the task, which may be the cause.
    package var isSuspect: Bool {
        get { limits?.values.isSuspect ?? false }
        set { values.isSuspect = newValue }
    }
    /// See ``ScanTask/priority``.
    package var priority: Int {
        get { limits?.values.priority ?? 0 }
        set { values.priority = newValue }
    }
    /// See ``ScanTask/retryPolicy``.
    package var retryPolicy: RetryPolicy? {
        get { limits?.values.retryPolicy }
        set { values.retryPolicy = newValue }
    }
    /// When the task may start at the earliest; nil for at once.
    package var notBefore: Instant? {
        get { limits?.values.notBefore }
        set { values.notBefore = newValue }
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
        if !tags.isEmpty { values = Values(needs: Needs(tags: tags)) }
    }

    /// A request for a first attempt at `task` with the bulk bytes of `source`.
    init(_ task: some ScanTask, source: BulkSource?) {
        self.init(
            cost: task.cost, key: source?.key, bytes: source?.sentCount ?? 0, isRelayed: source?.isRelayed ?? false,
            isReferable: source?.reference?.identifiesBytes ?? false)
        let (needs, priority, retryPolicy) = (Needs(of: task), task.priority, task.retryPolicy)
        // Most tasks limit nothing.
        if !needs.isNothing || priority != 0 || retryPolicy != nil {
            values = Values(needs: needs, priority: priority, retryPolicy: retryPolicy)
        }
        if isReferable, let reference = source?.reference { origin = BulkReference.number(of: reference.origin) }
    }

    /// The task has failed in a chunk at that time, which was its first attempt.
    mutating func retry(after failure: Instant) {
        placement = .localFirst
        guard var policy = retryPolicy else { return }
        if policy.backOff > .zero {
            notBefore = failure.advanced(by: policy.wait(afterFailures: 1))
            policy.backOff = policy.wait(afterFailures: 2)
        }
        policy.attempts -= 1
        retryPolicy = policy
    }

    /// Whether the task may go anywhere at any time.
    var isFree: Bool { limits?.isFree ?? true }

    /// Whether the task takes more than one slot, or memory, so that it may have to wait where another one finds room.
    var isLarge: Bool { limits.map { $0.values.needs.slots > 1 || $0.values.needs.memory > 0 } ?? false }

    private struct Values: Equatable, Sendable {
        var needs = Needs()
        var placement = Placement.anywhere
        var avoiding: [SystemID] = []
        var isSuspect = false
        var priority = 0
        var retryPolicy: RetryPolicy?
        var notBefore: Instant?
    }

    private final class Limits: Equatable, Sendable {
        let values: Values
        let isFree: Bool

        init(_ values: Values) {
            self.values = values
            isFree =
                values.needs.isNothing && values.placement == .anywhere && values.avoiding.isEmpty
                && !values.isSuspect && values.notBefore == nil
        }

        static func == (left: Limits, right: Limits) -> Bool { left.values == right.values }
    }

    private var values: Values {
        get { limits?.values ?? Values() }
        set { limits = newValue == Values() ? nil : Limits(newValue) }
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
