package import ScanCluster
internal import Synchronization

/// Counts the attempts of a scan that were not the first at their task.
package final class AttemptCounts: Sendable {
    private let retriesSoFar = Atomic<Int>(0)
    private let hedgesSoFar = Atomic<Int>(0)

    package init() {}

    /// Failed attempts, after which another one was needed.
    package var retries: Int { retriesSoFar.load(ordering: .relaxed) }
    /// Second attempts at tasks that were slow.
    package var hedges: Int { hedgesSoFar.load(ordering: .relaxed) }

    /// Counts an event. May be called from any thread.
    package func count(_ event: TaskEvent) {
        switch event {
        case .taskRetried: retriesSoFar.add(1, ordering: .relaxed)
        case .taskHedged: hedgesSoFar.add(1, ordering: .relaxed)
        default: break
        }
    }
}
