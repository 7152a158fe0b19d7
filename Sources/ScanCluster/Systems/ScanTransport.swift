/// One attempt at a task, as a transport carries it.
public struct Attempt<Task: ScanTask>: Sendable {
    /// The task.
    public var task: Task
    /// Number of this attempt at the task, from 1.
    public var number: Int
    /// Key of the bulk bytes, if they have one.
    public var bulkKey: BulkKey?
    /// The bulk bytes; nil if there are none or the system holds ``bulkKey``.
    public var bulk: BulkBytes?
    /// Where the system may find ``bulk`` by itself. A transport may send this instead, and completes with
    /// ``ScanError/Code/bulkMissing`` if the system does not find the same bytes.
    public var reference: BulkReference?

    /// Attempt number `number` at `task`.
    public init(task: Task, number: Int, bulkKey: BulkKey? = nil, bulk: BulkBytes? = nil) {
        self.task = task
        self.number = number
        self.bulkKey = bulkKey
        self.bulk = bulk
    }
}

/// Names an attempt that a transport has started.
public struct AttemptHandle: Hashable, Sendable {
    /// Unique within the transport.
    public var rawValue: UInt64

    /// A handle.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The way to a system: carries attempts there and responses back.
///
/// All calls come from the executor of the ``ScanSystem`` that owns the transport, so that a transport may live on an
/// I/O loop without locks. Nothing here waits: an answer, or the loss of the system, arrives through a completion.
public protocol ScanTransport: AnyObject, Sendable {
    /// Whether the system keeps the bytes of `key`, so that an attempt may refer to them.
    func holds(_ key: BulkKey) -> Bool

    /// Starts an attempt. `completion` is called once, on the same executor, and never from inside this call, unless
    /// the attempt is cancelled first.
    func start<Task: ScanTask>(
        _ attempt: Attempt<Task>,
        completion: @escaping @Sendable (Result<TaskResponse<Task>, ScanError>) -> Void
    ) -> AttemptHandle

    /// Forgets an attempt and tells the system that nobody waits for it.
    func cancel(_ handle: AttemptHandle)

    /// Ends the connection; attempts still under way complete with ``ScanError/Code/systemLost``.
    func close()
}
