internal import Metrics
public import ScanCluster

/// Counts the events of runs: tasks that are done, retried and failed, their time, and the systems.
///
/// ```swift
/// let metrics = FarmMetrics()
/// for try await response in farm.responses(to: tasks, observer: { metrics.record($0) }) { … }
/// ```
public final class FarmMetrics: Sendable {
    private let finished: Counter
    private let failed: Counter
    private let retried: Counter
    private let hedged: Counter
    private let joined: Counter
    private let left: Counter
    private let time: Metrics.Timer

    /// Metrics with names such as `skyfarm.tasks.finished`.
    /// - Parameters:
    ///   - prefix: the first part of their names.
    ///   - dimensions: what all of them have.
    public init(prefix: String = "skyfarm", dimensions: [(String, String)] = []) {
        finished = Counter(label: "\(prefix).tasks.finished", dimensions: dimensions)
        failed = Counter(label: "\(prefix).tasks.failed", dimensions: dimensions)
        retried = Counter(label: "\(prefix).attempts.retried", dimensions: dimensions)
        hedged = Counter(label: "\(prefix).attempts.hedged", dimensions: dimensions)
        joined = Counter(label: "\(prefix).systems.joined", dimensions: dimensions)
        left = Counter(label: "\(prefix).systems.left", dimensions: dimensions)
        time = Metrics.Timer(label: "\(prefix).tasks.time", dimensions: dimensions)
    }

    /// Counts an event.
    public func record(_ event: TaskEvent) {
        switch event {
        case .taskFinished: finished.increment(by: 1)
        case .taskFailed: failed.increment(by: 1)
        case .taskRetried, .attemptLost: retried.increment(by: 1)
        case .taskHedged: hedged.increment(by: 1)
        case .systemJoined: joined.increment(by: 1)
        case .systemLeft: left.increment(by: 1)
        default: break
        }
    }

    /// Records the time that the task of a response took on its system.
    public func record<Work>(_ response: TaskResponse<Work>) { time.recordSeconds(response.seconds) }
}
