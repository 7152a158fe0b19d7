public import ScanCluster

/// An executor that runs tasks, one step at a time, on the thread of the test, and advances virtual time when nothing is
/// left to do.
///
/// A whole cluster on it runs the same way every time, and a deadlock is detected at once. ``SimulatedFarm`` is one.
public final class SimulatedExecutor: ScanExecutor {
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }
    private let queue = Locked(Queue<Work>())
    private let clock: ManualClock

    /// An executor that advances `clock`.
    public init(clock: ManualClock) { self.clock = clock }

    /// Queues a job of a Swift task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.append(.job(job)) }
    }

    /// Queues a closure.
    public func execute(_ body: @escaping @Sendable () -> Void) { queue.withLock { $0.append(.closure(body)) } }

    /// True, since there is one thread.
    public var isCurrent: Bool { true }

    /// Accepts every caller, since there is one thread.
    public func checkIsolated() {}

    /// Runs `body` to its end.
    /// - Parameters:
    ///   - limit: time at which the run is abandoned.
    ///   - isSound: called after each step, with whether nothing is left to do at this time; false ends the run.
    ///   - body: the work.
    /// - Returns: its result; nil if the run was abandoned, or if nothing can complete it any more.
    public func run<Result: Sendable>(
        until limit: Instant = Instant(nanoseconds: .max), while isSound: (_ isIdle: Bool) -> Bool = { _ in true },
        _ body: @escaping @Sendable () async -> Result
    ) -> Result? {
        let result = Locked<Result?>(nil)
        let task = Task(executorPreference: self) {
            let value = await body()
            result.withLock { $0 = value }
        }
        while result.withLock({ $0 == nil }) {
            if step() {
                if !isSound(false) { break }
                continue
            }
            if let due = clock.nextDue, due > clock.now, !isSound(true) || due > limit { break }
            if !clock.advanceToNext() || !isSound(false) { break }
        }
        let value = result.withLock { $0 }
        if value == nil { task.cancel() }
        return value
    }

    /// Runs everything that is ready, without advancing time.
    public func settle() { while step() {} }

    private func step() -> Bool {
        switch queue.withLock({ $0.popFirst() }) {
        case .job(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .closure(let body): body()
        case nil: return false
        }
        return true
    }
}
