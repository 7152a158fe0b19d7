import Synchronization

/// The services of a system for a running task.
public struct ScanContext: Sendable {
    // Shared by the copies of a context, so that none holds bytes that were taken.
    private let handed: Locked<BulkBytes?>?
    /// Tells the scan to stop.
    let cancellation: ScanCancellation

    /// Takes what the task reports; nil if nobody does.
    let reporter: (any TaskReporter)?

    /// A context for one attempt.
    public init(bulk: BulkBytes? = nil, cancellation: ScanCancellation = ScanCancellation()) {
        self.init(bulk: bulk, cancellation: cancellation, reporter: nil)
    }

    /// A context for one attempt, whose reports go to `reporter`.
    package init(bulk: BulkBytes?, cancellation: ScanCancellation, reporter: (any TaskReporter)?) {
        handed = bulk.map { Locked($0) }
        self.cancellation = cancellation
        self.reporter = reporter
    }

    /// The bytes that were sent beside the task; nil if there are none or they were taken.
    public var bulk: BulkBytes? { handed?.withLock { $0 } }

    /// The bytes that were sent beside the task, for a task that cannot do without them.
    /// - Throws: ``MissingBulk`` if there are none or they were taken.
    public func requireBulk() throws(MissingBulk) -> BulkBytes {
        guard let bulk else { throw MissingBulk() }
        return bulk
    }

    /// Takes the bytes that were sent beside the task out of the context.
    ///
    /// Unless the system keeps them, their memory is freed as soon as the task releases them, not only when the task
    /// ends.
    public func takeBulk() -> BulkBytes? { handed?.withLock { $0.take() } }

    /// Reports how much of the work is done, for the observer of the run: see
    /// ``TaskEvent/taskProgressed(index:system:attempt:fraction:message:)``.
    ///
    /// May be called from any thread and as often as the task likes: at most ten times a second the last report is passed on.
    /// - Parameters:
    ///   - fraction: part of the work that is done, from 0 to 1.
    ///   - message: what the task does now, at most 500 characters in one line.
    public func report(_ fraction: Double, _ message: String = "") {
        guard let reporter, let report = TaskReport(progress: fraction, message) else { return }
        reporter.report(report)
    }

    /// Sends a line for a log to the observer of the run: see ``TaskEvent/taskLogged(index:system:attempt:line:)``.
    ///
    /// May be called from any thread. Of more than 32 lines in 0.1 s only the number is passed on.
    /// - Parameter line: at most 500 characters in one line.
    public func log(_ line: String) {
        guard let reporter else { return }
        reporter.report(TaskReport(line: line))
    }

    /// True once the requester has cancelled this attempt.
    public var isCancelled: Bool { cancellation.isCancelled }

    /// Ends a cancelled scan early.
    /// - Throws: `CancellationError` once the requester has cancelled this attempt.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }
}

/// A task needs bulk bytes, and there are none: the job passed no source of them, or the task has taken them.
public struct MissingBulk: Error, Equatable, CustomStringConvertible {
    /// The cause, in one line.
    public let description = "no bulk bytes were sent beside the task: pass them by responses(to:bulk:)"

    /// The error.
    public init() {}
}

/// A flag that tells a scan thread to stop; set once, from any thread.
public final class ScanCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// That of the attempt for which this thread reads bulk bytes, which may take long.
    @TaskLocal package static var current: ScanCancellation?

    /// A flag that is not set.
    public init() {}

    /// True after ``cancel()``.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag.
    public func cancel() {
        flag.store(true, ordering: .relaxed)
        Self.handlers.withLock { $0[ObjectIdentifier(self)] }?()
    }

    /// Those of the few flags that have one: in one table, so that other flags need no memory for it.
    private static let handlers = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// Calls `body`, and `handler` once or twice if the flag is set before it returns.
    package func handling<Result>(by handler: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows
        -> Result
    {
        Self.handlers.withLock { $0[ObjectIdentifier(self)] = handler }
        defer { Self.handlers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
        // It is set before the table is read, or the table was read after the handler was entered.
        if isCancelled { handler() }
        return try body()
    }
}
