package import ScanCluster
package import ScanNetwork

/// Measures the path to systems with tasks that do nothing: tasks per second, the time of one task, and bytes per
/// second.
package struct ClusterProbe: Sendable {
    private let coordinator: ScanCoordinator
    private let loop: EventLoop

    /// A probe of `systems`. A task is tried once, so that no measurement includes a failed attempt.
    package init(_ systems: Systems, loop: EventLoop = .shared) {
        coordinator = ScanCoordinator(
            systems: systems, options: .init(maxAttempts: 1, maxSystemFaults: 1), clock: loop, executor: loop)
        self.loop = loop
    }

    /// Runs `count` tasks, at most `limit` of which are sent together.
    /// - Returns: tasks per second.
    /// - Throws: `ScanError` if the run cannot continue, ``TaskFailure`` if a task fails.
    package func rate(tasks count: Int, inChunksOf limit: Int = 1) async throws -> Double {
        let tasks = (0..<count).map(ProbeTask.init)
        return Double(count)
            / (try await run(
                limit > 1 ? coordinator.responses(to: tasks, inChunksOf: limit) : coordinator.responses(to: tasks)))
    }

    /// Makes `count` runs of one task, one after the other.
    /// - Returns: seconds from the submission of each task to its response.
    /// - Throws: as ``rate(tasks:)``.
    package func roundTrips(_ count: Int) async throws -> Sample {
        // One switch to the loop's thread for all of them.
        try await withTaskExecutorPreference(loop) {
            var seconds = Sample()
            for id in 0..<count {
                let start = loop.now
                for try await response in coordinator.responses(to: CollectionOfOne(ProbeTask(id: id))) {
                    seconds.add(loop.now.since(start) / .seconds(1))
                    _ = try response.get()
                }
            }
            return seconds
        }
    }

    /// Makes one run of `count` tasks with `bytesEach` bulk bytes.
    /// - Returns: bytes per second.
    /// - Throws: as ``rate(tasks:)``.
    package func bandwidth(tasks count: Int, bytesEach: Int) async throws -> Double {
        let bytes = BulkBytes(byteCount: bytesEach) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        let source = BulkSource(byteCount: bytesEach) { bytes }
        let tasks = (0..<count).map(ProbeTask.init)
        return Double(count * bytesEach) / (try await run(coordinator.responses(to: tasks) { _ in source }))
    }

    private func run(_ responses: TaskResponses<ProbeTask>) async throws -> Double {
        // On the loop's thread, where the responses arrive.
        try await withTaskExecutorPreference(loop) {
            let start = loop.now
            for try await response in responses { _ = try response.get() }
            return loop.now.since(start) / .seconds(1)
        }
    }
}
