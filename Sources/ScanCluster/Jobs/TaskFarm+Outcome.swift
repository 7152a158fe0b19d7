extension TaskFarm {
    /// What an attempt's end says about its system.
    static func outcomeForSystem(
        _ result: AttemptResult, isOvertaken: Bool = false, isLocal: Bool
    ) -> SystemsState.Outcome {
        switch result {
        case .success(let response):
            return response.failure == nil ? .succeeded(seconds: response.seconds) : .threw
        case .failure(let error):
            switch error.code {
            case .bulkUnreadable, .draining: return .void
            case .cancelled where isOvertaken: return isLocal ? .void : .overtaken
            // A system that cancels what nobody asked it to cancel is at fault, or it would be asked again at once.
            case .cancelled: return _Concurrency.Task.isCancelled ? .void : .fault
            // The thread of a local scan that timed out is lost until it ends; the other threads are sound.
            case .timedOut where isLocal: return .threw
            default: return .fault
            }
        }
    }

    /// Writes the end of an attempt into the ledger and does what follows.
    /// - Throws: ``ScanError`` when the job's input cannot be read.
    mutating func end(
        _ attempt: TaskLedger.AttemptID, on system: ScanSystem, with result: AttemptResult, at end: Instant
    ) throws {
        remote[attempt.slot].removeAll { $0.id == attempt }
        switch result {
        case .success(let response):
            if let failure = response.failure {
                let log = failure.log.map { "\(system.name): \($0)" }
                retry(attempt, as: .failed, on: system, because: failure.message, log: log)
            } else {
                commit(attempt, response, of: system, at: end)
            }
        case .failure(let error):
            if error.code != .cancelled { lastCause = "\(error)" }
            switch error.code {
            case .bulkUnreadable:
                // An attempt that is under way elsewhere has its bytes.
                let verdict = retry(attempt, as: .refused, on: system, because: error.message, isTold: false)
                if verdict == .retried { throw error }
            case .timedOut:
                retry(attempt, as: .failed, on: system, because: error.message)
            case .refused, .cancelled:
                retry(attempt, as: .refused, on: system, because: error.message)
            case .draining:
                // Leaving in order is no fault: the task goes on as if it had never been there.
                excluded.insert(system.id)
                retry(attempt, as: .refused, on: system, because: error.message, isTold: false)
            case .unknownScanner:
                excluded.insert(system.id)
                retry(attempt, as: .refused, on: system, because: error.message)
            default:
                retry(attempt, as: .systemFault, on: system, because: error.message)
            }
        }
    }

    private mutating func commit(
        _ attempt: TaskLedger.AttemptID, _ response: SharedResponse<Task>, of system: ScanSystem, at end: Instant
    ) {
        guard case .committed(let others, let blamed) = ledger.end(attempt, as: .succeeded) else { return }
        for other in others {
            if let remote = remote[attempt.slot].first(where: { $0.id == other }) {
                remote.cancel(isOvertaken: true)
            } else {
                attempts.cancel(other)
            }
        }
        remote[attempt.slot].removeAll(keepingCapacity: true)
        for system in blamed { systems.blame(system) }
        guard let cost = work[attempt.slot].take()?.cost else { preconditionFailure("an open task has its work") }
        stragglers.measure(cost: cost, time: end.since(attempt.start))
        observer?(
            .taskFinished(
                index: attempt.index, system: system.name, attempt: attempt.number, cost: cost,
                seconds: response.seconds))
        isChannelFull = !channel.send(response)
    }

    /// Writes the end of an attempt that gave no output into the ledger. The task may be given up by that, whatever ended
    /// this attempt: an earlier one may have been the last that it was allowed, and this one still been under way.
    @discardableResult
    private mutating func retry(
        _ attempt: TaskLedger.AttemptID, as outcome: TaskLedger.Outcome, on system: ScanSystem, because reason: String,
        log: [String] = [], isTold: Bool = true
    ) -> TaskLedger.Verdict {
        let verdict = ledger.end(attempt, as: outcome)
        if verdict != .ignored, outcome != .refused {
            let log = log.isEmpty ? work[attempt.slot]?.failure?.log ?? [] : log
            work[attempt.slot]?.failure = Work.Failure(reason: reason, log: log)
        }
        switch verdict {
        case .retried where isTold:
            observer?(
                .taskRetried(
                    index: attempt.index, system: system.name, attempt: attempt.number, reason: reason, log: log))
        case .awaited where isTold:
            observer?(
                .attemptLost(
                    index: attempt.index, system: system.name, attempt: attempt.number, reason: reason, log: log))
        case .failed:
            guard let failed = work[attempt.slot].take() else { preconditionFailure("an open task has its work") }
            let failure = TaskFailure(
                message: failed.failure?.reason ?? reason, system: system.name, attempt: attempt.number,
                log: failed.failure?.log ?? [])
            observer?(.taskFailed(index: attempt.index, cost: failed.cost, failure: failure))
            let response = TaskResponse<Task>(
                id: failed.task.id, result: .failure(failure), system: system.name, attempt: attempt.number,
                seconds: 0)
            isChannelFull = !channel.send(SharedResponse(response))
        case .ignored, .committed, .retried, .awaited:
            break
        }
        return verdict
    }

    /// Tells the observer who came and went; at first, of all who are there.
    mutating func noteSystems(isFirst: Bool = false) {
        let present = systems.snapshot
        let stayed = present.count { known[$0.id] != nil }
        if stayed < known.count { noteLeaving(besides: present) }
        for system in present {
            let isKnown = known[system.id] != nil
            if !isKnown { known[system.id] = system.name }
            if isFirst || !isKnown { observer?(.systemJoined(name: system.name, slots: system.slots)) }
        }
        seen.withLock { [known] in $0 = known }
    }

    private mutating func noteLeaving(besides present: [SystemSnapshot]) {
        let ids = Set(present.map(\.id))
        for (id, name) in known where !ids.contains(id) {
            known[id] = nil
            lastCause = "\(name) left"
            observer?(.systemLeft(name: name))
        }
    }

    /// Waits no longer than agreed for a system that could run a task.
    /// - Throws: ``ScanError/Code/noSystem``.
    mutating func checkStranded() throws {
        let isStranded = ledger.inFlight == 0 && !systems.hasSystem(excluding: excluded)
        switch (stranded, isStranded) {
        case (let wait?, false):
            clock.cancel(wait.timer)
            stranded = nil
        case (nil, true):
            let until = clock.now.advanced(by: options.waitForSystems)
            stranded = (until, clock.schedule(at: until) { [systems, job] in systems.poke(job) })
        case (let wait?, true) where clock.now >= wait.until:
            let seconds = options.waitForSystems / .seconds(1)
            throw ScanError(
                .noSystem,
                "for \(seconds) s there was no system to run the tasks"
                    + (lastCause.map { "; the last cause: \($0)" } ?? "; is a node running?"))
        case (_?, true), (nil, false):
            break
        }
    }
}
