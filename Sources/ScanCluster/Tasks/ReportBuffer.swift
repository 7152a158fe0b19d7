internal import Synchronization

/// Passes reports of running tasks on, several at a time. It costs a task that reports nothing one look at a flag.
package final class ReportBuffer: Sendable {
    private let queue = Locked(ReportQueue())
    private let isUsed = Atomic<Bool>(false)

    package init() {}

    /// A task reports something: `deliver` gets it by the clock, with other reports, unless ``take(of:)`` does first.
    package func add(
        _ report: TaskReport, of task: UInt64, clock: any ScanClock,
        deliver: @escaping @Sendable ([(task: UInt64, report: TaskReport)]) -> Void
    ) {
        isUsed.store(true, ordering: .relaxed)
        guard queue.withLock({ $0.add(report, of: task) }) else { return }
        _ = clock.schedule(at: clock.now.advanced(by: ReportQueue.interval)) { [queue] in
            deliver(queue.withLock { $0.take() })
        }
    }

    /// Takes what a task has reported that has ended.
    package func take(of task: UInt64) -> [TaskReport] {
        isUsed.load(ordering: .relaxed) ? queue.withLock { $0.take(of: task) } : []
    }
}
