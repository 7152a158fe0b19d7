/// Decides the course of a run: which tasks are pulled, what the end of an attempt means for its task, which tasks are
/// hedged, when the run fails. Pure: ``TaskRun`` reports events to it and performs the actions.
///
/// A run is in one of these states, which follow from its parts:
/// - *running*: tasks are pulled, and start while a system has room. Goes to any other state.
/// - *held up*: so many responses wait for the consumer that no task starts. Goes back when the consumer takes some.
/// - *stranded*: no attempt is in flight and no system could run a task. Fails after ``ScanCoordinator/Options/waitForSystems``
///   unless a system joins, or is then forsaken.
/// - *forsaken*: stranded for so long because all slots are stuck in attempts that exceeded their time. The tasks are
///   given up, unless a system joins.
/// - *exhausted*: every task has been pulled and none waits. Those in flight are hedged when they are overdue.
/// - *done*: every task has its response. Final.
package struct TaskRunState: Sendable {
    /// Most pending tasks among which one is sought whose bulk bytes a system holds.
    package static let lookAhead = 256

    /// How an attempt ended.
    package enum AttemptEnd: Sendable {
        case output
        /// The task's code threw.
        case threw(TaskFailure)
        /// There is no response.
        case error(ScanError)
        /// There is no response, and the system has left, since its connection broke: its process may have ended.
        case lost(ScanError)
    }

    /// What the run does when an attempt has ended.
    package enum Action: Equatable, Sendable {
        /// Nothing: its task is done already.
        case drop
        /// Deliver the output, cancel the other attempts, and blame the systems that failed a task that another did.
        case deliver(cost: Double, others: [TaskLedger.AttemptID], blamed: [SystemID])
        /// The task waits again. `log`: last lines of the node's log, nil if the end is not reported.
        case retry(reason: String, log: [String]?)
        /// Another attempt at the task goes on. `log` as above.
        case await(reason: String, log: [String]?)
        /// Deliver the failure: the task is given up.
        case giveUp(cost: Double, TaskFailure)
        /// The run fails: its input cannot be read.
        case fail(ScanError)
    }

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
            guard lost.count >= TaskLedger.lossLimit else { return }
            reason = "ended the processes of \(lost.joined(separator: " and ")), and is not run again (\(cause))"
        }
    }

    private let options: ScanCoordinator.Options
    package private(set) var ledger: TaskLedger
    /// Systems that cannot run these tasks.
    package private(set) var excluded: Set<SystemID> = []
    /// Those of them that left to drain or to pause: once they join again they can.
    private var absent: Set<SystemID> = []
    /// Whether every task has been pulled.
    package private(set) var isExhausted = false
    /// The names of the systems that were reported to the observer.
    package private(set) var known: [SystemID: String]
    // The last failure of each open task that has failed, by its entry.
    private var failures: [Int: Failure] = [:]
    private var stragglers = StragglerPolicy()
    private var lastCause: String?
    /// When the run fails unless a system joins.
    private var strandedUntil: Instant?
    /// Whether the tasks are given up one after the other, since no system can run them.
    package private(set) var isForsaken = false
    /// Attempts in a row that exceeded their time, by system.
    private var timedOut: [SystemID: Int] = [:]
    /// Systems whose slots are all taken by such attempts.
    private var stuck: Set<SystemID> = []
    private let detectsStuck: Bool
    /// The attempts that may have ended the process of a system, when that was lost.
    private var ranLast: [SystemID: Set<TaskLedger.AttemptID>] = [:]
    /// When the next task will be overdue; nil while no slot idles.
    private var nextLook: Instant?
    /// When expected ends are compared again; nil while no slot idles.
    private var nextComparison: Instant?
    /// Whether a task of this run has bulk bytes.
    private var hasBulk = false

    /// A run that has not pulled a task. `known`: the systems that were reported before.
    package init(options: ScanCoordinator.Options, known: [SystemID: String] = [:]) {
        self.options = options
        self.known = known
        ledger = TaskLedger(limits: .init(attempts: options.maxAttempts, faults: options.maxSystemFaults))
        // A limit that the user chose may be short.
        detectsStuck = options.timeout == nil && options.adaptiveTimeout != nil
    }

    // MARK: Tasks

    /// Whether to pull a task: one is kept ahead, and more behind it if it may have to wait for a certain system.
    package var wantsTask: Bool {
        if isExhausted { return false }
        guard let first = ledger.pending.first else { return true }
        return first.request.isChoosy && ledger.pending.count < Self.lookAhead
    }

    /// A task was pulled.
    /// - Returns: its entry in the ledger until it is done.
    package mutating func pulled(_ task: TaskRequest) -> Int {
        var task = task
        // An invalid cost must not distort the choice of systems.
        if !task.cost.isFinite || task.cost <= 0 { task.cost = 1 }
        if task.needsBulk { hasBulk = true }
        return ledger.add(task)
    }

    /// All tasks have been pulled.
    package mutating func exhausted() { isExhausted = true }

    /// Whether every task has its response.
    package var isDone: Bool { isExhausted && ledger.open == 0 }

    /// Whether no task starts because `waiting` ended attempts have not been handled.
    package func isHeldUp(by waiting: Int) -> Bool { waiting >= options.responseBuffer }

    /// A system was reserved for the task `offset` places behind the most urgent one.
    package mutating func started(atOffset offset: Int, on system: SystemID, at now: Instant) -> TaskLedger.AttemptID {
        (nextLook, strandedUntil, isForsaken) = (nil, nil, false)
        return ledger.start(atOffset: offset, on: system, at: now)
    }

    // MARK: Ends

    /// An attempt on `system`, which is called `name` and has `slots`, ended.
    package mutating func ended(
        _ attempt: TaskLedger.AttemptID, on system: SystemID, _ name: String, slots: Int, as end: AttemptEnd,
        at now: Instant
    ) -> Action {
        switch end {
        case .output:
            if !timedOut.isEmpty { timedOut[system] = nil }
            return commit(attempt, at: now)
        case .threw(let failure):
            let log = failure.log.map { "\(name): \($0)" }
            return retry(attempt, as: .failed, on: name, because: failure.message, log: log)
        case .lost(let error):
            lastCause = "\(error)"
            let isCause = mayHaveEnded(system, attempt)
            return retry(attempt, as: isCause ? .processLost : .systemFault, on: name, because: error.message)
        case .error(let error):
            if error.code != .cancelled { lastCause = "\(error)" }
            switch error.code {
            case .bulkUnreadable:
                // Another attempt that is under way has its bytes already.
                let action = retry(attempt, as: .refused, on: name, because: error.message, isTold: false)
                if case .retry = action { return .fail(error) }
                return action
            case .timedOut:
                noteTimeout(on: system, slots: slots)
                return retry(attempt, as: .failed, on: name, because: error.message)
            case .refused:
                return retry(attempt, as: .refused, on: name, because: error.message)
            case .cancelled:
                // That a system is stuck was told already.
                return retry(
                    attempt, as: .refused, on: name, because: error.message, isTold: !stuck.contains(system))
            case .draining:
                // Draining is not a fault: the task is tried elsewhere as if it had not been sent.
                if excluded.insert(system).inserted { absent.insert(system) }
                return retry(attempt, as: .refused, on: name, because: error.message, isTold: false)
            case .unknownScanner:
                excluded.insert(system)
                return retry(attempt, as: .refused, on: name, because: error.message)
            default:
                return retry(attempt, as: .systemFault, on: name, because: error.message)
            }
        }
    }

    /// Whether the process of a system has ended.
    package var hasLosses: Bool { !ranLast.isEmpty }

    /// Whether the task of an attempt may have ended the process of a system: which tasks waited there for a slot is not
    /// known. A suspect explains the loss, so that the others are none; of several suspects, which a hedge may bring
    /// together, it is not known which one was the cause, and they are taken apart.
    private mutating func mayHaveEnded(_ system: SystemID, _ attempt: TaskLedger.AttemptID) -> Bool {
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
            excluded.insert(system)
        }
    }

    /// Whether all slots of a system are taken by attempts that exceeded their time.
    package func isStuck(_ system: SystemID) -> Bool { stuck.contains(system) }

    private mutating func commit(_ attempt: TaskLedger.AttemptID, at now: Instant) -> Action {
        let cost = ledger.cost(of: attempt.entry)
        guard case .committed(let others, let blamed) = ledger.end(attempt, as: .succeeded) else { return .drop }
        if !failures.isEmpty { failures[attempt.entry] = nil }
        stragglers.measure(cost: cost, time: now.since(attempt.start))
        return .deliver(cost: cost, others: others, blamed: blamed)
    }

    /// Records in the ledger the end of an attempt that gave no output. The task may then be given up, whatever ended
    /// this attempt: an earlier attempt may have been the last that was allowed, while this one was still in flight.
    private mutating func retry(
        _ attempt: TaskLedger.AttemptID, as outcome: TaskLedger.Outcome, on system: String, because reason: String,
        log: [String] = [], isTold: Bool = true
    ) -> Action {
        let cost = ledger.cost(of: attempt.entry)
        let verdict = ledger.end(attempt, as: outcome)
        if verdict != .ignored, outcome != .refused {
            let last = failures[attempt.entry]
            var failure = Failure(
                reason: reason, system: system, log: log.isEmpty ? last?.log ?? [] : log, lost: last?.lost ?? [])
            if outcome == .processLost { failure.note(loss: system, because: reason) }
            failures[attempt.entry] = failure
        }
        switch verdict {
        case .ignored, .committed: return .drop
        case .retried: return .retry(reason: reason, log: isTold ? log : nil)
        case .awaited: return .await(reason: reason, log: isTold ? log : nil)
        case .failed:
            let failure = failures.removeValue(forKey: attempt.entry)
            return .giveUp(
                cost: cost,
                TaskFailure(
                    message: failure?.reason ?? reason, system: system, attempt: attempt.number,
                    log: failure?.log ?? []))
        }
    }

    // MARK: Hedges

    /// Looks for tasks that run longer than expected, if no other task can start and a slot of a system that is not
    /// excluded is idle. Tasks that wait nevertheless wait for the systems that hold their bytes, one of which may hang.
    /// - Returns: the newest attempts at them, the most overdue first.
    package mutating func overdue(
        isHeldUp: Bool = false, hasIdleSlot: (Set<SystemID>) -> Bool, at now: Instant
    ) -> [TaskLedger.AttemptID] {
        guard isExhausted, ledger.pending.isEmpty || !isHeldUp, ledger.inFlight > 0, hasIdleSlot(excluded) else {
            nextLook = nil
            return []
        }
        if let nextLook, now < nextLook { return [] }
        let findings = stragglers.look(at: ledger.running, now: now)
        nextLook = findings.next
        return findings.overdue
    }

    /// A system was reserved for another attempt at an overdue task.
    /// - Returns: the attempt, and the event that reports it; nil if the overdue attempt is no longer known.
    package mutating func hedged(
        _ overdue: TaskLedger.AttemptID, on system: SystemID, _ name: String, at now: Instant
    ) -> (TaskLedger.AttemptID, TaskEvent)? {
        guard let slow = ledger.request(besides: overdue)?.system,
            let attempt = ledger.hedge(overdue, on: system, at: now)
        else { return nil }
        nextLook = stragglers.look(at: ledger.running, now: now).next
        let event = TaskEvent.taskHedged(
            index: attempt.index, system: name, attempt: attempt.number, slow: known[slow] ?? "a system that left",
            seconds: attempt.start.since(overdue.start) / .seconds(1))
        return (attempt, event)
    }

    /// Whether tasks in flight may be given to idle systems: all tasks have been pulled, and none can start. Tasks without
    /// bulk bytes, of which thousands may be in flight, are compared every 50 ms, others at each event.
    package func mayRescue(isHeldUp: Bool, at now: Instant) -> Bool {
        guard isExhausted, ledger.inFlight > 0, ledger.pending.isEmpty || !isHeldUp else { return false }
        return hasBulk || nextComparison.map { $0 <= now } ?? false
    }

    /// A system was reserved for the task of an attempt, which is cancelled.
    /// - Returns: the new attempt, and the event that reports it; nil if the attempt is no longer known.
    package mutating func recalled(
        _ slow: TaskLedger.AttemptID, to system: SystemID, _ name: String, at now: Instant
    ) -> (TaskLedger.AttemptID, TaskEvent)? {
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

    // MARK: Systems

    /// The set of systems has changed.
    /// - Returns: which left and which joined; `isFirst`: all that are present.
    package mutating func systemsChanged(to present: [SystemsState.Member], isFirst: Bool = false) -> [TaskEvent] {
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
            if isNew, absent.remove(system.id) != nil { excluded.remove(system.id) }
            if hasLosses, ranLast.removeValue(forKey: system.id) != nil { ledger.exonerate(by: system.id) }
            if isFirst || isNew { events.append(.systemJoined(name: system.name, slots: system.slots)) }
        }
        return events
    }

    /// Limits the wait for a system that could run a task.
    /// - Parameters:
    ///   - hasSystem: whether there is a system with these tags that is not excluded.
    ///   - hasStuckSystem: whether all slots of a system are taken by scans that were cancelled, also in other runs.
    ///   - now: the time.
    /// - Returns: the error with which the run fails.
    package mutating func checkStranded(
        hasSystem: (_ excluded: Set<SystemID>, _ tags: Set<String>) -> Bool, hasStuckSystem: () -> Bool, at now: Instant
    ) -> ScanError? {
        guard ledger.open > 0, ledger.inFlight == 0,
            !Set(ledger.pending.lazy.map(\.request.tags)).contains(where: { hasSystem(excluded, $0) })
        else {
            (strandedUntil, isForsaken) = (nil, false)
            return nil
        }
        if isForsaken { return nil }
        let until = strandedUntil ?? now.advanced(by: options.waitForSystems)
        // The call that begins the wait never fails the run.
        guard strandedUntil != nil, now >= until else {
            strandedUntil = until
            return nil
        }
        if hasStuckSystem() || stuck.contains(where: { known[$0] != nil }) {
            // The systems are there, and what they did is of use: the rest is reported as missing.
            (strandedUntil, isForsaken) = (nil, true)
            return nil
        }
        let seconds = options.waitForSystems / .seconds(1)
        let tags = ledger.pending.reduce(into: Set<String>()) { $0.formUnion($1.request.tags) }
        let sought = tags.isEmpty ? "" : " that has the tags they need (\(tags.sorted().joined(separator: ", ")))"
        return ScanError(
            .noSystem,
            "for \(seconds) s there was no system to run the tasks" + sought
                + (lastCause.map { "; the last cause: \($0)" } ?? "; is a node running?"))
    }

    /// Gives up the most urgent task of a forsaken run.
    package mutating func giveUpFirst() -> (task: TaskLedger.GivenUp, failure: TaskFailure) {
        let task = ledger.giveUpFirst()
        let failure = failures.removeValue(forKey: task.entry)
        let reason =
            failure?.reason ?? "no system is left to run it" + (lastCause.map { "; the last cause: \($0)" } ?? "")
        return (
            task,
            TaskFailure(
                message: reason, system: failure?.system ?? "", attempt: task.attempts,
                log: failure?.log ?? [])
        )
    }

    /// When to look again although nothing has happened.
    package var wakeUp: Instant? { [nextLook, nextComparison, strandedUntil].compactMap { $0 }.min() }

    /// The first violated invariant; nil if all hold.
    package var contradiction: String? {
        if let contradiction = ledger.contradiction { return contradiction }
        if failures.count > ledger.open { return "failures of tasks that are done are kept" }
        if strandedUntil != nil, ledger.inFlight > 0 { return "a run with attempts in flight is stranded" }
        if isForsaken, ledger.inFlight > 0 { return "a run with attempts in flight gives its tasks up" }
        if nextLook != nil, !isExhausted { return "a task is hedged before the last one was pulled" }
        return nil
    }
}
