extension ScanCoordinator.Run {
    /// Handles the end of an attempt.
    /// - Throws: ``ScanError`` when the run's input cannot be read.
    mutating func end(_ attempt: ScanSystem.Attempt<Work>) throws {
        let (id, system) = (attempt.id, attempt.system)
        open[id.entry].attempts.removeAll { $0 === attempt }
        let wasStuck = state.isStuck(system.id)
        guard let outcome = attempt.outcome else { preconditionFailure("the attempt has ended") }
        let (verdict, event) = try state.ended(
            id, on: (system.id, system.name, system.slots), as: outcome,
            isProcessLost: hasLostProcess(system, outcome), at: attempt.endedAt)
        // What waits there for a slot would wait for ever.
        if !wasStuck, state.isStuck(system.id) { cancelAttempts(on: system.id) }
        switch verdict {
        case .ignored: if outcome.isFinished { systems.discount(of: system.name, asFailed: false) }
        case .retried, .failed: break
        case .awaited: if state.ledger.isSuspect(id) { recallLocally(id.entry) }
        case .committed(let others, let blamed):
            if !open[id.entry].attempts.isEmpty {
                for other in open[id.entry].attempts where others.contains(other.id) { other.cancel(as: .overtaken) }
                open[id.entry].attempts.removeAll(keepingCapacity: true)
            }
            if open[id.entry].bulk != nil { open[id.entry].bulk = nil }
            for system in blamed { systems.blame(system) }
        }
        guard let event else { return }
        if let onError = traits.onError, case .failed = verdict, case .error(let error) = outcome {
            onError(id.index, error.code)
        }
        report(event, of: id.entry)
        if case .committed = verdict, let response = attempt.response { isChannelFull = !channel.send(response) }
    }

    /// A task with which a process has ended is not to go on in this one, where a second attempt may be under way.
    private func recallLocally(_ entry: Int) {
        for attempt in open[entry].attempts where attempt.system.isLocal { attempt.cancel() }
    }

    /// Whether the process of a system may have ended: a connection that this side has not ended is lost with its process,
    /// unless that has said so.
    private func hasLostProcess(_ system: ScanSystem, _ outcome: AttemptOutcome) -> Bool {
        guard case .error(let error) = outcome, error.code == .systemLost, !system.isLocal else { return false }
        return !systems.members.contains { $0.id == system.id }
    }

    /// Gives up the most urgent task, which no system can run any more.
    mutating func giveUpTask() {
        let (entry, event) = state.giveUpFirst()
        report(event, of: entry)
    }

    /// Reports an event, and sends the response if the task was given up with it.
    private mutating func report(_ event: TaskEvent, of entry: Int) {
        observer?(event)
        guard case .taskFailed(let index, _, let failure) = event else { return }
        open[entry].bulk = nil
        let response = TaskResponse<Work>(
            id: open[entry].task.id, index: index, result: .failure(failure), system: failure.system,
            attempt: failure.attempt, seconds: 0)
        isChannelFull = !channel.send(SharedResponse(response))
    }

    /// Reports to the observer which systems joined and left; the first time, all that are there.
    mutating func noteSystems(isFirst: Bool = false) {
        let events = state.systemsChanged(to: systems.members, isFirst: isFirst && observer != nil)
        for event in events { observer?(event) }
        if let primed = traits.primed { state.waits(for: primed.missing) }
        seen.withLock { [known = state.known] in $0 = known }
    }
}
