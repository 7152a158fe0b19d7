extension ScanCoordinator {
    /// Decides the course of a run: which tasks are pulled, what the end of an attempt means for its task, which tasks
    /// are hedged, when the run fails. Pure: ``Run`` reports events to it and performs the actions.
    ///
    /// A run is in one of these states, which follow from its parts:
    /// - *running*: tasks are pulled, and start while a system has room. Goes to any other state.
    /// - *held up*: so many responses wait for the consumer that no task starts. Goes back when the consumer takes
    ///   some.
    /// - *orphaned*: no attempt is in flight and no system could run a task. Fails after ``Options/waitForSystems``
    ///   unless a system joins, or begins to give its tasks up.
    /// - *giving up*: orphaned for so long because all slots are stuck in attempts that exceeded their time. The tasks
    ///   are given up, unless a system joins.
    /// - *exhausted*: every task has been pulled and none waits. Those in flight are hedged when they are overdue.
    /// - *done*: every task has its response. Final.
    package struct RunState: Sendable {
        /// Most pending tasks among which one is sought whose bulk bytes a system holds.
        package static let lookAhead = 256

        /// A system on which an attempt ended.
        package typealias System = (id: SystemID, name: String, slots: Int)

        /// What the end of an attempt means: for its task, and the event that reports it, nil if it is not reported.
        package typealias Ended = (verdict: Ledger.Verdict, event: TaskEvent?)

        /// How a task last failed.
        private struct Failure {
            var reason: String
            var system: String
            var log: [String]
            /// Names of the systems whose processes ended while they ran the task.
            var lost: [String] = []

            /// The process of another system ended, and with it the connection, for this reason.
            mutating func note(loss name: String, because cause: String) {
                lost.append(name)
                guard lost.count >= Ledger.lossLimit else { return }
                reason = "ended the processes of \(lost.joined(separator: " and ")), and is not run again (\(cause))"
            }
        }

        /// The end of an attempt that gave no output.
        private struct LostAttempt {
            var effect: Ledger.Effect
            /// Whether the task is not tried again.
            var isFinal: Bool
            var log: [String] = []
            var isReported = true
            var end: Instant
        }

        let options: Options
        package internal(set) var ledger: Ledger
        /// Systems that do not get these tasks now.
        package var excluded: Set<SystemID> { unready.isEmpty ? unfit : unfit.union(unready) }
        /// Systems that cannot run these tasks.
        private var unfit: Set<SystemID> = []
        /// Systems that are not ready for these tasks yet.
        private var unready: Set<SystemID> = []
        /// Those of them that left to drain or to pause: once they join again they can.
        private var absent: Set<SystemID> = []
        /// Whether every task has been pulled.
        package private(set) var isExhausted = false
        /// The names of the systems that were reported to the observer.
        package private(set) var known: [SystemID: String]
        // The last failure of each open task that has failed, by its entry.
        private var failures: [Int: Failure] = [:]
        var stragglers = StragglerPolicy()
        private var lastCause: String?
        /// When the run fails unless a system joins.
        private var orphanedUntil: Instant?
        /// Whether the tasks are given up one after the other, since no system can run them.
        package private(set) var isGivingUp = false
        /// Attempts in a row that exceeded their time, by system.
        private var timedOut: [SystemID: Int] = [:]
        /// Systems whose slots are all taken by such attempts.
        private var stuck: Set<SystemID> = []
        private let detectsStuck: Bool
        /// The attempts that may have ended the process of a system, when that was lost.
        private var ranLast: [SystemID: Set<ScanSystem.AttemptID>] = [:]
        /// When the next task will be overdue; nil while no slot idles.
        var nextAssessment: Instant?
        /// When expected ends are compared again; nil while no slot idles.
        var nextComparison: Instant?
        /// Whether a task of this run has bulk bytes.
        var hasBulk = false
        /// Whether tasks are pulled ahead: those that follow may be more urgent, or are there already.
        package var looksAhead = false
        /// Whether no task is there at present, though others may arrive.
        private(set) var isStarved = false
        /// When the next task may start that waits for its time; nil if none does.
        private var nextRetry: Instant?

        /// A run that has not pulled a task. `known`: the systems that were reported before.
        package init(options: Options, known: [SystemID: String] = [:]) {
            self.options = options
            self.known = known
            ledger = Ledger(limits: .init(attempts: options.maxAttempts, faults: options.maxSystemFaults))
            // A limit that the user chose may be short.
            detectsStuck = options.timeout == nil && options.adaptiveTimeout != nil
        }

        // MARK: Tasks

        /// Whether to pull a task: one is kept ahead, and more behind it if it may have to wait for a certain system.
        package var wantsTask: Bool {
            if isExhausted { return false }
            guard let first = ledger.pending.first else { return true }
            return (first.request.isChoosy || looksAhead) && ledger.pending.count < Self.lookAhead
        }

        /// A task was pulled.
        /// - Returns: its entry in the ledger until it is done.
        package mutating func pulled(_ task: TaskRequest) -> Int {
            var task = task
            // An invalid cost must not distort the choice of systems.
            if !task.cost.isFinite || task.cost <= 0 { task.cost = 1 }
            if task.needsBulk { hasBulk = true }
            if task.priority != 0 { looksAhead = true }
            if let due = task.notBefore { nextRetry = min(nextRetry ?? due, due) }
            if isStarved { (isStarved, nextAssessment, nextComparison) = (false, nil, nil) }
            return ledger.add(task)
        }

        /// All tasks have been pulled.
        package mutating func exhausted() { isExhausted = true }

        /// No task is there, though others may arrive: those in flight may be hedged meanwhile.
        package mutating func starves() { isStarved = true }

        /// Whether no task can be pulled now.
        package var hasPulledAll: Bool { isExhausted || isStarved }

        /// Whether every task has its response.
        package var isDone: Bool { isExhausted && ledger.open == 0 }

        /// Whether no task starts because `waiting` ended attempts have not been handled.
        package func isHeldUp(by waiting: Int) -> Bool { waiting >= options.responseBuffer }

        /// A system was reserved for the task `offset` places behind the most urgent one.
        package mutating func started(
            atOffset offset: Int, on system: SystemID, at now: Instant
        ) -> ScanSystem.AttemptID {
            (nextAssessment, orphanedUntil, isGivingUp) = (nil, nil, false)
            return ledger.start(atOffset: offset, on: system, at: now)
        }

        // MARK: Ends

        /// An attempt on `system` ended. `isProcessLost`: and with it the connection, so that its process may have
        /// ended.
        /// - Throws: the error with which the run fails, since its input cannot be read.
        package mutating func ended(
            _ attempt: ScanSystem.AttemptID, on system: System, as outcome: AttemptOutcome, isProcessLost: Bool = false,
            at now: Instant
        ) throws(ScanError) -> Ended {
            switch outcome {
            case .finished(let seconds):
                if !timedOut.isEmpty { timedOut[system.id] = nil }
                return commit(attempt, on: system.name, seconds: seconds, at: now)
            case .failed(let cause, let log, _):
                let log = log.map { "\(system.name): \($0)" }
                let end = LostAttempt(effect: .failed, isFinal: isFinal(attempt, outcome), log: log, end: now)
                return retry(attempt, after: end, on: system.name, because: cause)
            case .error(let error):
                if error.code != .cancelled, error.code != .overtaken { lastCause = "\(error)" }
                let isCause = isProcessLost && mayHaveEnded(system.id, attempt)
                let (effect, isReported) = effect(of: error.code, on: system, isCause: isCause)
                let lost = LostAttempt(
                    effect: effect, isFinal: isFinal(attempt, outcome), isReported: isReported, end: now)
                let end = retry(attempt, after: lost, on: system.name, because: error.message)
                // Another attempt that is under way has its bytes already.
                if error.code == .bulkUnreadable, end.verdict == .retried { throw error }
                return end
            }
        }

        /// What the end of an attempt without a response means for its task, and whether it is reported. A system that
        /// cannot run the tasks is excluded.
        private mutating func effect(
            of code: ScanError.Code, on system: System, isCause: Bool
        ) -> (Ledger.Effect, isReported: Bool) {
            switch code {
            case .systemLost, .disconnected, .invalidResponse, .bulkMissing, .noSystem:
                return (isCause ? .processLost : .systemFault, true)
            case .timedOut:
                noteTimeout(on: system.id, slots: system.slots)
                return (.failed, true)
            case .refused:
                return (.refused, true)
            case .cancelled, .overtaken:
                // A stuck system was reported when it became stuck.
                return (.refused, !stuck.contains(system.id))
            case .draining:
                // Draining is not a fault: the task is tried elsewhere as if it had not been sent.
                if unfit.insert(system.id).inserted { absent.insert(system.id) }
                return (.refused, false)
            case .unknownType:
                unfit.insert(system.id)
                return (.refused, true)
            case .bulkUnreadable, .tasksUnreadable, .journal:
                return (.refused, false)
            }
        }

        /// Whether the process of a system has ended.
        package var hasLosses: Bool { !ranLast.isEmpty }

        /// Whether the task of an attempt may have ended the process of a system: which tasks waited there for a slot
        /// is not known. A suspect explains the loss, so that the others are none; of several suspects, which a hedge
        /// may bring together, it is not known which one was the cause, and they are taken apart.
        private mutating func mayHaveEnded(_ system: SystemID, _ attempt: ScanSystem.AttemptID) -> Bool {
            if ranLast[system] == nil {
                let ran = Set(ledger.attempts(on: system))
                let suspects = ran.filter(ledger.isSuspect)
                ranLast[system] = suspects.isEmpty ? ran : suspects.count == 1 ? suspects : []
            }
            return ranLast[system]?.contains(attempt) ?? false
        }

        private mutating func noteTimeout(on system: SystemID, slots: Int) {
            guard detectsStuck else { return }
            timedOut[system, default: 0] += 1
            if timedOut[system, default: 0] >= slots {
                stuck.insert(system)
                unfit.insert(system)
            }
        }

        /// Whether all slots of a system are taken by attempts that exceeded their time.
        package func isStuck(_ system: SystemID) -> Bool { stuck.contains(system) }

        private mutating func commit(
            _ attempt: ScanSystem.AttemptID, on system: String, seconds: Double, at now: Instant
        ) -> Ended {
            let cost = ledger.cost(of: attempt.entry)
            let verdict = ledger.end(attempt, as: .succeeded)
            guard case .committed = verdict else { return (verdict, nil) }
            if !failures.isEmpty { failures[attempt.entry] = nil }
            stragglers.measure(cost: cost, time: now.since(attempt.start))
            let event = TaskEvent.taskFinished(
                index: attempt.index, system: system, attempt: attempt.number, cost: cost, seconds: seconds)
            return (verdict, event)
        }

        /// Records in the ledger the end of an attempt that gave no output. The task may then be given up, whatever
        /// ended this attempt: an earlier attempt may have been the last that was allowed, while this one was still in
        /// flight.
        private mutating func retry(
            _ attempt: ScanSystem.AttemptID, after lost: LostAttempt, on system: String, because reason: String
        ) -> Ended {
            let (index, number, cost) = (attempt.index, attempt.number, ledger.cost(of: attempt.entry))
            let (effect, log, isReported) = (lost.effect, lost.log, lost.isReported)
            let verdict = ledger.end(attempt, as: effect, isFinal: lost.isFinal, at: lost.end)
            if verdict == .retried, effect == .failed, let due = ledger.nextStart(after: lost.end) { nextRetry = due }
            if verdict != .ignored, effect != .refused {
                let last = failures[attempt.entry]
                var failure = Failure(
                    reason: reason, system: system, log: log.isEmpty ? last?.log ?? [] : log, lost: last?.lost ?? [])
                if effect == .processLost { failure.note(loss: system, because: reason) }
                failures[attempt.entry] = failure
            }
            switch verdict {
            case .retried where isReported:
                return (verdict, .taskRetried(index: index, system: system, attempt: number, reason: reason, log: log))
            case .awaited where isReported:
                return (verdict, .attemptLost(index: index, system: system, attempt: number, reason: reason, log: log))
            case .ignored, .committed, .retried, .awaited: return (verdict, nil)
            case .failed:
                let last = failures.removeValue(forKey: attempt.entry)
                let failure = TaskFailure(
                    message: last?.reason ?? reason, system: system, attempt: number, log: last?.log ?? [])
                return (verdict, .taskFailed(index: index, cost: cost, failure: failure))
            }
        }

        // MARK: Systems

        /// The set of systems has changed.
        /// - Returns: which left and which joined; `isFirst`: all that are present.
        package mutating func systemsChanged(to present: [Systems.State.Member], isFirst: Bool = false) -> [TaskEvent] {
            var events: [TaskEvent] = []
            if present.count(where: { known[$0.id] != nil }) < known.count {
                let ids = Set(present.map(\.id))
                for (id, name) in known where !ids.contains(id) {
                    known[id] = nil
                    lastCause = "\(name) left"
                    events.append(.systemLeft(name: name))
                }
            }
            for system in present {
                let name = known[system.id]
                // A run begins with the table of the run before, which it copies only if something is new.
                if name != system.name { known[system.id] = system.name }
                let isNew = name == nil
                if isNew, absent.remove(system.id) != nil { unfit.remove(system.id) }
                if hasLosses, ranLast.removeValue(forKey: system.id) != nil { ledger.exonerate(by: system.id) }
                if isFirst || isNew { events.append(.systemJoined(name: system.name, slots: system.slots)) }
            }
            return events
        }

        /// These systems are not ready for the tasks of the run.
        package mutating func waits(for systems: Set<SystemID>) { unready = systems }

        /// Limits the wait for a system that could run a task.
        /// - Parameters:
        ///   - hasSystem: whether there is a system that has what a task needs and is not excluded.
        ///   - hasStuckSystem: whether slots of a system are taken by scans that were cancelled, also in other runs.
        ///   - now: the time.
        /// - Returns: the error with which the run fails.
        package mutating func checkOrphaned(
            hasSystem: (_ excluded: Set<SystemID>, _ needs: TaskRequest.Needs) -> Bool, hasStuckSystem: () -> Bool,
            at now: Instant
        ) -> ScanError? {
            guard ledger.open > 0, ledger.inFlight == 0,
                !Set(ledger.pending.lazy.map(\.request.needs)).contains(where: { hasSystem(excluded, $0) })
            else {
                (orphanedUntil, isGivingUp) = (nil, false)
                return nil
            }
            if isGivingUp { return nil }
            let until = orphanedUntil ?? now.advanced(by: options.waitForSystems)
            // The call that begins the wait never fails the run.
            guard orphanedUntil != nil, now >= until else {
                orphanedUntil = until
                return nil
            }
            if hasStuckSystem() || stuck.contains(where: { known[$0] != nil }) {
                // The systems are there, and what they did is of use: the rest is reported as missing.
                (orphanedUntil, isGivingUp) = (nil, true)
                return nil
            }
            let seconds = options.waitForSystems / .seconds(1)
            return ScanError(
                .noSystem,
                "for \(seconds) s there was no system to run the tasks" + sought
                    + (lastCause.map { "; the last cause: \($0)" } ?? "; is a node running?"))
        }

        /// Gives up the most urgent task of a run that gives its tasks up.
        /// - Returns: its entry until now, and the event that reports it.
        package mutating func giveUpFirst() -> (entry: Int, event: TaskEvent) {
            let task = ledger.giveUpFirst()
            let last = failures.removeValue(forKey: task.entry)
            let reason =
                last?.reason ?? "no system is left to run it" + (lastCause.map { "; the last cause: \($0)" } ?? "")
            let failure = TaskFailure(
                message: reason, system: last?.system ?? "", attempt: task.attempts, log: last?.log ?? [])
            return (task.entry, .taskFailed(index: task.index, cost: task.cost, failure: failure))
        }

        /// When to decide again although nothing has happened.
        package var wakeUp: Instant? {
            [nextAssessment, nextComparison, orphanedUntil, nextRetry].compactMap(\.self).min()
        }

        /// Time has passed: a task that waited for it may start.
        package mutating func passes(_ now: Instant) {
            if let nextRetry, nextRetry <= now { self.nextRetry = ledger.nextStart(after: now) }
        }

        /// The first violated invariant; nil if all hold.
        package var contradiction: String? {
            if let contradiction = ledger.contradiction { return contradiction }
            if failures.count > ledger.open { return "failures of tasks that are done are kept" }
            if orphanedUntil != nil, ledger.inFlight > 0 { return "a run with attempts in flight is orphaned" }
            if isGivingUp, ledger.inFlight > 0 { return "a run with attempts in flight gives its tasks up" }
            if nextAssessment != nil, !hasPulledAll { return "a task is hedged before the last one was pulled" }
            return nil
        }
    }
}
