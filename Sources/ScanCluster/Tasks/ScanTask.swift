/// One unit of work that any system of the cluster can do: a Codable value with the code that does it.
///
/// The value travels to the system that runs it; the code does not: a node runs a task only if the task's type was
/// given to its `TaskTypes`. A task may run more than once (after a fault, or hedged), so ``scan(_:)`` must depend on
/// nothing but the value, the bulk bytes and files that do not change. Its response is committed exactly once.
public protocol ScanTask: Codable, Identifiable, Sendable where ID: Codable & Sendable {
    /// What a successful scan returns.
    associatedtype Output: Codable & Sendable

    /// Name and version by which nodes know this type, such as `sky.band/1`. Change it with the coded form.
    static var typeName: String { get }

    /// Expected work, in any unit that all tasks of a job share (pixels, for images). Positive; 1 by default.
    var cost: Double { get }

    /// Cost that one slot is expected to do in a second, until that has been measured: it decides whether the first
    /// transfers of bulk bytes are worth their time. Nil, the default, if nothing is known.
    static var assumedCostPerSecond: Double? { get }

    /// Tags that a system must have to run the task, such as `gpu`: see `skyfarm node --tag`. None by default. A run ends
    /// with ``ScanError/Code/noSystem`` if no system with the tags joins within ``ScanCoordinator/Options/waitForSystems``
    /// while none of its tasks runs. Of tasks that wait for tags, up to 255 do not hold up those behind them.
    var requiredTags: Set<String> { get }

    /// Slots that the task takes, for code that uses several processors: 1 by default. It goes only to systems with as many,
    /// once they are free, and other tasks get the rest: of this coordinator, and of others that the node serves.
    var slots: Int { get }

    /// Bytes of memory that the task needs; 0, the default, if that is little. It goes only to systems that state their
    /// memory, where so much of it is not given to other tasks. A node keeps account for all coordinators together.
    var requiredMemory: Int { get }

    /// Of tasks that wait, those with the highest priority are started first; 0 by default. A run looks 256 tasks ahead from
    /// the first with another priority on; those that were started go on.
    var priority: Int { get }

    /// How often, and when, the task is tried again; nil, the default, for what the run's options say.
    var retryPolicy: RetryPolicy? { get }

    /// Does the work. Runs on a scan thread, may block, and should call ``ScanContext/checkCancellation()`` regularly.
    /// An error that it throws is the failure of this attempt.
    func scan(_ context: ScanContext) throws -> Output

    /// Refuses an output that cannot be the answer to this task: the system that sent it is then set aside and the
    /// task tried elsewhere. Accepts everything by default.
    func validate(_ output: Output) throws
}

extension ScanTask {
    /// One unit of work.
    public var cost: Double { 1 }

    /// Nothing is known.
    public static var assumedCostPerSecond: Double? { nil }

    /// No tags: every system suits.
    public var requiredTags: Set<String> { [] }

    /// One slot.
    public var slots: Int { 1 }

    /// Little memory.
    public var requiredMemory: Int { 0 }

    /// The usual priority.
    public var priority: Int { 0 }

    /// As the options of the run say.
    public var retryPolicy: RetryPolicy? { nil }

    /// Accepts every output.
    public func validate(_ output: Output) throws {}
}
