import Synchronization

/// What a running task may ask of the system that runs it.
public struct ScanContext: Sendable {
    // Shared by the copies of a context, so that none holds bytes that were taken.
    private let handed: Locked<BulkBytes?>?
    private let cancellation: ScanCancellation

    /// A context for one attempt.
    public init(bulk: BulkBytes? = nil, cancellation: ScanCancellation = ScanCancellation()) {
        handed = bulk.map { Locked($0) }
        self.cancellation = cancellation
    }

    /// The bytes that travelled beside the task, if its job gave it any and they were not taken.
    public var bulk: BulkBytes? { handed?.withLock { $0 } }

    /// Takes the bytes that travelled beside the task out of the context, which holds them no more.
    ///
    /// Unless the system keeps them, their memory is free as soon as the task lets them go, not only when it ends.
    public func takeBulk() -> BulkBytes? { handed?.withLock { $0.take() } }

    /// True once nobody waits for this attempt any more.
    public var isCancelled: Bool { cancellation.isCancelled }

    /// Ends a cancelled scan early.
    /// - Throws: `CancellationError` once nobody waits for this attempt any more.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }
}

/// A flag that tells a scan thread to stop; set once, from any thread.
public final class ScanCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// A flag that is not set.
    public init() {}

    /// True after ``cancel()``.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
