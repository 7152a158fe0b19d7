import Dispatch

/// A task whose scan suspends: it awaits other code, such as requests over a network, in place of blocking a thread.
///
/// ```swift
/// struct Fetch: AsyncScanTask {
///     static let typeName = "example.fetch/1"
///     var id: Int
///
///     func scan(_ context: ScanContext) async throws -> Int { try await status(of: id) }
/// }
/// ```
///
/// It is a ``ScanTask`` in everything else, and occupies a slot of its system until its scan returns: as many run at a
/// time as the system has slots. It runs on Swift's global concurrent executor, whose threads have the usual priority,
/// whatever the niceness of the node. When the attempt is cancelled, or has exceeded its time, the Swift task of the scan
/// is cancelled, so that `Task.isCancelled` is true and functions that heed it, such as `Task.sleep`, throw.
public protocol AsyncScanTask: ScanTask {
    /// What a successful scan returns.
    associatedtype Output

    /// Does the work, and must not block its thread. An error that it throws is the failure of this attempt.
    func scan(_ context: ScanContext) async throws -> Output
}

extension AsyncScanTask {
    /// Runs the asynchronous scan, and blocks the calling thread, which is the slot, until it has returned.
    public func scan(_ context: ScanContext) throws -> Output {
        let ending = AsyncScanEnd<Output>()
        let scan = Task.detached {
            do {
                ending.end(with: .success(try await self.scan(context)))
            } catch {
                ending.end(with: .failure(error))
            }
        }
        return try context.cancellation.handling(by: { scan.cancel() }, ending.wait)
    }
}

/// Hands the result of an asynchronous scan to the thread that waits for it.
private final class AsyncScanEnd<Output: Sendable>: Sendable {
    private let result = Locked<Result<Output, any Error>?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func end(with result: Result<Output, any Error>) {
        self.result.withLock { $0 = result }
        semaphore.signal()
    }

    func wait() throws -> Output {
        semaphore.wait()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("the scan has ended with a result") }
        return try result.get()
    }
}
