import ScanCluster
import ScanNetwork

extension BenchmarkCluster {
    /// Runs null tasks.
    /// - Parameters:
    ///   - count: their number.
    ///   - limit: most tasks of a chunk; nil for one child of the task group per task.
    ///   - timeout: time for an attempt; nil for no limit.
    /// - Returns: tasks per second.
    /// - Throws: `ScanError` if the run fails, `TaskFailure` if a task fails, ``BenchmarkError`` if its output is wrong.
    func rate(tasks count: Int, inChunksOf limit: Int? = nil, timeout: Duration? = nil) async throws -> Double {
        let loop = EventLoop.shared
        let options = ScanCoordinator.Options(timeout: timeout, maxAttempts: 1, maxSystemFaults: 1)
        let coordinator = ScanCoordinator(systems: systems, options: options, clock: loop, executor: loop)
        let tasks = (0..<count).map(NullTask.init)
        // On the loop's thread, where the responses arrive.
        return try await withTaskExecutorPreference(loop) {
            let start = ContinuousClock.now
            let responses =
                limit.map { coordinator.responses(to: tasks, inChunksOf: $0) } ?? coordinator.responses(to: tasks)
            for try await response in responses {
                guard try response.get() == NullTask.value(of: response.id) else {
                    throw BenchmarkError("the output of null task \(response.id) is wrong")
                }
            }
            return Double(count) / (ContinuousClock.now - start).seconds
        }
    }
}
