/// Decides which tasks in flight run longer than expected, from the times that the run's other tasks took. Pure.
///
/// An attempt is overdue after twice the median time of its cost, and not before 100 ms: a shorter task is not worth a
/// second attempt. The rule is that of Spark's speculative execution (`spark.speculation.multiplier`,
/// `spark.speculation.minTaskRuntime`). The median counts tasks, of which fast systems do more, so that the tasks of a
/// slow system are overdue early. Before three tasks were measured, an attempt is overdue after 10 s at the earliest,
/// so that a system that accepts the only task and never responds does not block the run forever.
package struct StragglerPolicy: Sendable {
    /// Multiple of the median after which an attempt is overdue.
    package static let slowFactor = 2.0
    /// Time before which no attempt is overdue.
    package static let least = Duration.milliseconds(100)
    /// Time before which no attempt is overdue while too little is measured.
    package static let unknown = Duration.seconds(10)
    /// Attempts at one task that may be in flight.
    package static let mostAttempts = 3

    /// Result of an assessment of the tasks in flight.
    package struct Findings: Equatable, Sendable {
        /// Newest attempts of the tasks that may be hedged now, the most overdue first.
        package var overdue: [ScanSystem.AttemptID] = []
        /// When the next task will be overdue.
        package var next: Instant?

        package init() {}
    }

    private var pace = TaskPace()

    package init() {}

    /// A task of `cost` had its output `time` after its attempt began.
    package mutating func measure(cost: Double, time: Duration) {
        pace.measure(cost: cost, time: time)
    }

    /// Finds the overdue tasks.
    package func assess(_ running: some Sequence<ScanCoordinator.RunState.Ledger.Running>, now: Instant) -> Findings {
        let median = pace.roughSecondsPerCost ?? 0
        let least = pace.secondsPerCost == nil ? Self.unknown : Self.least
        var overdue: [(attempt: ScanSystem.AttemptID, excess: Double)] = []
        var next: Instant?
        for task in running where task.attempts < Self.mostAttempts {
            // A day at most, so that no cost leads to an overflow.
            let limit = max(least, .seconds(min(Self.slowFactor * median * task.cost, 86_400)))
            let due = task.newest.start.advanced(by: limit)
            if due <= now {
                overdue.append((task.newest, now.since(task.newest.start) / limit))
            } else {
                next = min(next ?? due, due)
            }
        }
        overdue.sort { ($1.excess, $0.attempt.index) < ($0.excess, $1.attempt.index) }
        var findings = Findings()
        (findings.overdue, findings.next) = (overdue.map(\.attempt), next)
        return findings
    }
}
