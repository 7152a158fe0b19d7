internal import Dispatch

/// A serial executor for code that blocks on the disk: it uses no thread of the cooperative pool or the event loop.
package final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// An executor with this name.
    package init(label: String = "skyfarm.reader") { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` on the executor's thread.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: .init(catching: body)) }
        }
    }

    /// Runs `body` on the executor's thread some time later.
    package func submit(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
