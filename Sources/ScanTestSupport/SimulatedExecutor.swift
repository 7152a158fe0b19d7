import ScanCluster

/// Runs tasks, one step at a time, on the thread of the test, and moves virtual time on when nothing else is to do.
///
/// A whole cluster of fake nodes thus runs the same way every time, and one that would hang is found at once.
package final class SimulatedExecutor: TaskExecutor, SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
    }
    private let state = Locked(State())
    private let clock: ManualClock

    /// An executor that moves `clock` on.
    package init(clock: ManualClock) { self.clock = clock }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs `body` to its end.
    /// - Returns: its result; nil if it waits for something that cannot happen any more.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result? {
        let result = Locked<Result?>(nil)
        let task = Task(executorPreference: self) {
            let value = await body()
            result.withLock { $0 = value }
        }
        while result.withLock({ $0 == nil }) {
            if !step(), !clock.advanceToNext() {
                task.cancel()
                return nil
            }
        }
        return result.withLock { $0 }
    }

    /// Runs what is left to run now, without moving time.
    package func settle() { while step() {} }

    private func step() -> Bool {
        let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        job?.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        return job != nil
    }
}
