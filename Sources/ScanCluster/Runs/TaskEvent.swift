/// An event of a run, for a progress display and a log. `index` is a task's place in the run, from 0.
public enum TaskEvent: Equatable, Sendable {
    /// A system accepts tasks; those that are known when the run begins are reported first.
    case systemJoined(name: String, slots: Int)
    /// A system is no longer reachable.
    case systemLeft(name: String)
    /// An attempt began. `cost` as in ``ScanTask/cost``. If its system drains without running it, the next attempt
    /// begins with no other event in between.
    case taskStarted(index: Int, system: String, attempt: Int, cost: Double)
    /// The attempt that was just started is a second one, or a third: the one before, on `slow`, has been running for
    /// `seconds`, longer than expected. The first output counts, and the other attempts are cancelled then.
    case taskHedged(index: Int, system: String, attempt: Int, slow: String, seconds: Double)
    /// The attempt on `slow` was cancelled while its bulk bytes were being sent: `system`, whose attempt was just started,
    /// will be done sooner.
    case taskRecalled(index: Int, system: String, attempt: Int, slow: String)
    /// The task has its output; the scan took `seconds`. Other attempts at it are over.
    case taskFinished(index: Int, system: String, attempt: Int, cost: Double, seconds: Double)
    /// The attempt failed for this reason, and the task will be tried again. `log`: the last lines of a node's
    /// log, each after the node's name.
    case taskRetried(index: Int, system: String, attempt: Int, reason: String, log: [String] = [])
    /// The attempt failed for this reason, while another at the task is still under way.
    case attemptLost(index: Int, system: String, attempt: Int, reason: String, log: [String] = [])
    /// The task has reported by ``ScanContext/report(_:_:)`` that so much of its work is done, from 0 to 1. Reports come on
    /// the executor of the system, which is that of the run for all systems of a farm. Of the tasks of a chunk, which run one
    /// after the other, those are passed on that are the last in 0.1 s.
    case taskProgressed(index: Int, system: String, attempt: Int, fraction: Double, message: String)
    /// The task has sent a line for a log, by ``ScanContext/log(_:)``.
    case taskLogged(index: Int, system: String, attempt: Int, line: String)
    /// The task was given up.
    case taskFailed(index: Int, cost: Double, failure: TaskFailure)
}

extension TaskEvent {
    /// The event of a report of a task.
    init(_ report: TaskReport, of index: Int, on system: String, attempt: Int) {
        switch report {
        case .progress(let fraction, let message):
            self = .taskProgressed(
                index: index, system: system, attempt: attempt, fraction: fraction, message: message)
        case .line(let line, _): self = .taskLogged(index: index, system: system, attempt: attempt, line: line)
        }
    }

    /// Passes what tasks report on to an observer.
    static func reports(
        to observer: @escaping @Sendable (TaskEvent) -> Void
    ) -> @Sendable (ScanSystem.AttemptID, _ system: String, TaskReport) -> Void {
        { id, system, report in observer(TaskEvent(report, of: id.index, on: system, attempt: id.number)) }
    }
}
