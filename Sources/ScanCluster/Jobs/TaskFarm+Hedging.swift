extension TaskFarm {
    /// Gives tasks that run longer than expected to idle systems as well, once no other task is left to start.
    ///
    /// While a system idles, a timer stands for the moment when the next task will be overdue.
    mutating func hedge(in group: inout Children) {
        guard isExhausted, ledger.pending.isEmpty, ledger.inFlight > 0, systems.hasIdleSlot(excluding: excluded)
        else { return forgetLook() }
        if let look, clock.now < look.due { return }
        forgetLook()
        var findings = stragglers.look(at: ledger.running, now: clock.now)
        var hasHedged = false
        for attempt in findings.overdue where hedge(attempt, in: &group) { hasHedged = true }
        if hasHedged { findings = stragglers.look(at: ledger.running, now: clock.now) }
        guard let due = findings.next else { return }
        look = (due, clock.schedule(at: due) { [systems, job] in systems.poke(job) })
    }

    /// Starts another attempt at an overdue task.
    /// - Returns: false if no system that idles is of use.
    private mutating func hedge(_ overdue: TaskLedger.AttemptID, in group: inout Children) -> Bool {
        guard let (request, slow, useless) = ledger.request(besides: overdue) else { return false }
        var only = PendingTasks()
        only.append(PendingTask(slot: overdue.slot, request: request))
        guard
            let pick = systems.reserve(
                from: only, excluding: excluded.union(useless), job: job, prefetching: false, at: clock.now),
            let attempt = ledger.hedge(overdue, on: pick.system.id, at: pick.reservation.start)
        else { return false }
        launch(attempt, with: pick.reservation, on: pick.system, in: &group)
        observer?(
            .taskHedged(
                index: attempt.index, system: pick.system.name, attempt: attempt.number,
                slow: known[slow] ?? "a system that left",
                seconds: attempt.start.since(overdue.start) / .seconds(1)))
        return true
    }

    /// Forgets when the next task will be overdue.
    mutating func forgetLook() {
        if let look { clock.cancel(look.timer) }
        look = nil
    }
}
