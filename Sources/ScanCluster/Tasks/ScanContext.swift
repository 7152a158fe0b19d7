import Synchronization

/// What a running task may ask of the system that runs it.
public struct ScanContext: Sendable {
    /// The bytes that travelled beside the task, if its job gave it any.
    public let bulk: BulkBytes?

    private let cancellation: ScanCancellation

    /// A context for one attempt.
    public init(bulk: BulkBytes? = nil, cancellation: ScanCancellation = ScanCancellation()) {
        self.bulk = bulk
        self.cancellation = cancellation
    }

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
