extension TaskRun {
    /// Handles the end of an attempt.
    /// - Throws: ``ScanError`` when the run's input cannot be read.
    mutating func end(_ attempt: Attempt<Work>) throws {
        let (id, system) = (attempt.id, attempt.system)
        open[id.entry].attempts.removeAll { $0 === attempt }
        let wasStuck = state.isStuck(system.id)
        let action = state.ended(
            id, on: system.id, system.name, slots: system.slots, as: end(of: attempt), at: attempt.endedAt)
        // What waits there for a slot would wait for ever.
        if !wasStuck, state.isStuck(system.id) { cancelAttempts(on: system.id) }
        switch action {
        case .drop: break
        case .deliver(let cost, let others, let blamed):
            guard let response = attempt.response else { preconditionFailure("an attempt with output has a response") }
            if !open[id.entry].attempts.isEmpty {
                for other in open[id.entry].attempts where others.contains(other.id) { other.cancel(isOvertaken: true) }
                open[id.entry].attempts.removeAll(keepingCapacity: true)
            }
            if open[id.entry].bulk != nil { open[id.entry].bulk = nil }
            for system in blamed { systems.blame(system) }
            observer?(
                .taskFinished(
                    index: id.index, system: system.name, attempt: id.number, cost: cost,
                    seconds: response.value.seconds))
            isChannelFull = !channel.send(response)
        case .retry(let reason, let log):
            guard let log else { break }
            observer?(
                .taskRetried(index: id.index, system: system.name, attempt: id.number, reason: reason, log: log))
        case .await(let reason, let log):
            if state.ledger.isSuspect(id) { recallLocally(id.entry) }
            guard let log else { break }
            observer?(
                .attemptLost(index: id.index, system: system.name, attempt: id.number, reason: reason, log: log))
        case .giveUp(let cost, let failure):
            giveUp(entry: id.entry, index: id.index, cost: cost, failure)
        case .fail(let error): throw error
        }
    }

    /// A task with which a process has ended is not to go on in this one, where a second attempt may be under way.
    private func recallLocally(_ entry: Int) {
        for attempt in open[entry].attempts where attempt.system.isLocal { attempt.cancel(isOvertaken: false) }
    }

    /// How an attempt ended. A connection that this side has not ended is lost with its process, unless that has said so.
    private func end(of attempt: Attempt<Work>) -> TaskRunState.AttemptEnd {
        guard case .error(let error) = attempt.end, error.code == .systemLost, !attempt.system.isLocal,
            !systems.members.contains(where: { $0.id == attempt.system.id })
        else { return attempt.end }
        return .lost(error)
    }

    /// Gives up the most urgent task, which no system can run any more.
    mutating func giveUpTask() {
        let (task, failure) = state.giveUpFirst()
        giveUp(entry: task.entry, index: task.index, cost: task.cost, failure)
    }

    private mutating func giveUp(entry: Int, index: Int, cost: Double, _ failure: TaskFailure) {
        open[entry].bulk = nil
        observer?(.taskFailed(index: index, cost: cost, failure: failure))
        let response = TaskResponse<Work>(
            id: open[entry].task.id, result: .failure(failure), system: failure.system, attempt: failure.attempt,
            seconds: 0)
        isChannelFull = !channel.send(SharedResponse(response))
    }

    /// Reports to the observer which systems joined and left; the first time, all that are there.
    mutating func noteSystems(isFirst: Bool = false) {
        let events = state.systemsChanged(to: systems.members, isFirst: isFirst && observer != nil)
        for event in events { observer?(event) }
        seen.withLock { [known = state.known] in $0 = known }
    }
}

extension Attempt {
    /// How it ended, for its run.
    fileprivate var end: TaskRunState.AttemptEnd {
        if let error { return .error(error) }
        return response?.value.failure.map { .threw($0) } ?? .output
    }
}
