import Dispatch
import ScanCluster

/// The thread of a caller that waits for asynchronous code, as the executor of that code.
///
/// Code that blocks a thread of Swift's pool must not wait for code that needs another one: simulations of parallel tests
/// may hold all of them.
final class CallingThread: TaskExecutor {
    private let jobs = Locked(Queue<UnownedJob>())
    /// Counts jobs that were queued, and the end.
    private let changes = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        changes.signal()
    }

    /// Runs `body` to its end. Timers, and actors with an executor of their own, resume it from other threads.
    /// - Throws: what `body` throws.
    func run<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) throws -> Output {
        let ended = Locked<Result<Output, any Error>?>(nil)
        Task(executorPreference: self) {
            let result: Result<Output, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            ended.withLock { $0 = result }
            self.changes.signal()
        }
        while true {
            changes.wait()
            if let job = jobs.withLock({ $0.popFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if let result = ended.withLock({ $0 }) {
                return try result.get()
            }
        }
    }
}
