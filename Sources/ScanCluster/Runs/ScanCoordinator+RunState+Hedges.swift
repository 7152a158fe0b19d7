extension ScanCoordinator.RunState {
    /// Looks for tasks that run longer than expected, if no other task can start and a slot of a system that is not
    /// excluded is idle. Tasks that wait nevertheless wait for the systems that hold their bytes, one of which may hang.
    /// - Returns: the newest attempts at them, the most overdue first.
    package mutating func overdue(
        isHeldUp: Bool = false, hasIdleSlot: (Set<SystemID>) -> Bool, at now: Instant
    ) -> [ScanSystem.AttemptID] {
        guard options.hedges, hasPulledAll, ledger.pending.isEmpty || !isHeldUp, ledger.inFlight > 0,
            hasIdleSlot(excluded)
        else {
            nextAssessment = nil
            return []
        }
        if let nextAssessment, now < nextAssessment { return [] }
        let findings = stragglers.assess(ledger.running, now: now)
        nextAssessment = findings.next
        return findings.overdue
    }

    /// A system was reserved for another attempt at an overdue task.
    /// - Returns: the attempt, and the event that reports it; nil if the overdue attempt is no longer known.
    package mutating func hedged(
        _ overdue: ScanSystem.AttemptID, on system: SystemID, _ name: String, at now: Instant
    ) -> (ScanSystem.AttemptID, TaskEvent)? {
        guard let slow = ledger.request(besides: overdue)?.system,
            let attempt = ledger.hedge(overdue, on: system, at: now)
        else { return nil }
        nextAssessment = stragglers.assess(ledger.running, now: now).next
        let event = TaskEvent.taskHedged(
            index: attempt.index, system: name, attempt: attempt.number, slow: known[slow] ?? "a system that left",
            seconds: attempt.start.since(overdue.start) / .seconds(1))
        return (attempt, event)
    }

    /// Whether tasks in flight may be given to idle systems: all tasks have been pulled, and none can start. Tasks without
    /// bulk bytes, of which thousands may be in flight, are compared every 50 ms, others at each event.
    package func mayRescue(isHeldUp: Bool, at now: Instant) -> Bool {
        guard options.hedges, hasPulledAll, ledger.inFlight > 0, ledger.pending.isEmpty || !isHeldUp else {
            return false
        }
        return hasBulk || nextComparison.map { $0 <= now } ?? false
    }

    /// A system was reserved for the task of an attempt, which is cancelled.
    /// - Returns: the new attempt, and the event that reports it; nil if the attempt is no longer known.
    package mutating func recalled(
        _ slow: ScanSystem.AttemptID, to system: SystemID, _ name: String, at now: Instant
    ) -> (ScanSystem.AttemptID, TaskEvent)? {
        guard let old = ledger.request(besides: slow)?.system, let attempt = ledger.move(slow, to: system, at: now)
        else { return nil }
        let event = TaskEvent.taskRecalled(
            index: attempt.index, system: name, attempt: attempt.number, slow: known[old] ?? "a system that left")
        return (attempt, event)
    }

    /// A slot idles although tasks are open: expectations change with time, so that they are compared again soon.
    package mutating func idles(at now: Instant) {
        if let nextComparison, nextComparison > now { return }
        nextComparison = now.advanced(by: Self.comparisonInterval)
    }

    /// Every slot has a task: no comparison is due.
    package mutating func isBusy() { nextComparison = nil }

    /// Time between two comparisons while nothing happens.
    private static let comparisonInterval = Duration.milliseconds(50)
}
