import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct RunStateTests {
    private func state(
        _ tasks: Int, options: ScanCoordinator.Options = .init(), isWhole: Bool = true
    ) -> ScanCoordinator.RunState {
        var state = ScanCoordinator.RunState(options: options)
        for _ in 0..<tasks { _ = state.pulled(TaskRequest(cost: 2)) }
        if isWhole { state.exhausted() }
        return state
    }

    private func start(
        _ state: inout ScanCoordinator.RunState, on system: UInt64, at now: Instant = .zero
    ) -> ScanSystem.AttemptID {
        let attempt = state.started(atOffset: 0, on: .test(system), at: now)
        #expect(state.contradiction == nil)
        return attempt
    }

    private func end(
        _ attempt: ScanSystem.AttemptID, on system: UInt64, as outcome: AttemptOutcome,
        in state: inout ScanCoordinator.RunState, at seconds: Double = 1, slots: Int = 1
    ) throws(ScanError) -> ScanCoordinator.RunState.Ended {
        defer { #expect(state.contradiction == nil) }
        return try state.ended(
            attempt, on: (.test(system), "node-\(system)", slots), as: outcome, at: moment(seconds))
    }

    private func moment(_ seconds: Double) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    private func members(_ systems: UInt64...) -> [Systems.State.Member] {
        var state = Systems.State()
        for system in systems {
            _ = state.join(id: .test(system), name: "node-\(system)", slots: 1, depth: 1, isLocal: false)
        }
        return state.members
    }

    @Test("a task is kept ahead, and others behind one that waits for a certain system")
    func pulling() {
        var state = state(0, isWhole: false)
        #expect(state.wantsTask)
        _ = state.pulled(TaskRequest(cost: 1))
        #expect(!state.wantsTask)
        _ = start(&state, on: 1)
        _ = state.pulled(TaskRequest(cost: 1, key: BulkKey(job: 1, index: 1)))
        #expect(state.wantsTask)
        while state.wantsTask { _ = state.pulled(TaskRequest(cost: .nan)) }
        #expect(state.ledger.pending.count == ScanCoordinator.RunState.lookAhead)
        #expect(state.ledger.pending.allSatisfy { $0.request.cost == 1 })
        state.exhausted()
        #expect(!state.wantsTask && !state.isDone)
    }

    @Test("tasks in flight are compared at each event if they have bulk bytes, else after 50 ms with an idle slot")
    func comparison() {
        func mayRescue(_ state: ScanCoordinator.RunState, at seconds: Double) -> Bool {
            state.mayRescue(isHeldUp: false, at: moment(seconds))
        }
        var plain = state(2)
        _ = start(&plain, on: 1)
        _ = start(&plain, on: 1)
        #expect(!mayRescue(plain, at: 0) && plain.wakeUp == nil)
        plain.idles(at: moment(0))
        #expect(!mayRescue(plain, at: 0.01) && plain.wakeUp == moment(0.05) && mayRescue(plain, at: 0.05))
        // The next one is as much later.
        plain.idles(at: moment(0.05))
        #expect(!mayRescue(plain, at: 0.06) && mayRescue(plain, at: 0.1))
        plain.isBusy()
        #expect(!mayRescue(plain, at: 1))

        var bulky = state(0, isWhole: false)
        _ = bulky.pulled(TaskRequest(cost: 1, key: BulkKey(job: 1, index: 1)))
        _ = start(&bulky, on: 1)
        #expect(!mayRescue(bulky, at: 0))
        bulky.exhausted()
        #expect(mayRescue(bulky, at: 0))
    }

    @Test("an output is delivered once, and systems that failed it are blamed")
    func output() throws {
        var state = state(1)
        let first = start(&state, on: 1)
        let failed = try end(first, on: 1, as: .failed("no", log: ["line"]), in: &state)
        #expect(failed.verdict == .retried)
        #expect(
            failed.event == .taskRetried(index: 0, system: "node-1", attempt: 1, reason: "no", log: ["node-1: line"]))
        let second = start(&state, on: 2)
        let done = try end(second, on: 2, as: .finished(seconds: 3), in: &state)
        #expect(done.verdict == .committed(others: [], blamed: [.test(1)]))
        #expect(done.event == .taskFinished(index: 0, system: "node-2", attempt: 2, cost: 2, seconds: 3))
        let late = try end(second, on: 2, as: .finished(seconds: 3), in: &state)
        #expect(late.verdict == .ignored && late.event == nil)
        #expect(state.isDone)
    }

    @Test("a task that fails too often is given up with its last failure, whatever ended its last attempt")
    func givenUp() throws {
        var state = state(1, options: .init(maxAttempts: 1))
        let first = start(&state, on: 1)
        guard let (second, _) = state.hedged(first, on: .test(2), "node-2", at: .zero) else {
            Issue.record("a task in flight can be hedged")
            return
        }
        let failed = try end(first, on: 1, as: .failed("no"), in: &state)
        #expect(failed.verdict == .awaited)
        #expect(failed.event == .attemptLost(index: 0, system: "node-1", attempt: 1, reason: "no"))
        let last = try end(second, on: 2, as: .error(ScanError(.draining, "leaves")), in: &state)
        let expected = TaskFailure(message: "no", system: "node-2", attempt: 2)
        #expect(last.verdict == .failed && last.event == .taskFailed(index: 0, cost: 2, failure: expected))
        #expect(state.isDone)
    }

    @Test("a system that drains or does not know the task is not used again, and only the latter is reported")
    func excluded() throws {
        var state = state(2)
        let first = start(&state, on: 1)
        let second = start(&state, on: 2)
        let drained = try end(first, on: 1, as: .error(ScanError(.draining, "leaves")), in: &state)
        #expect(drained.verdict == .retried && drained.event == nil)
        let unknown = try end(second, on: 2, as: .error(ScanError(.unknownType, "what?")), in: &state)
        #expect(unknown.verdict == .retried)
        #expect(unknown.event == .taskRetried(index: 1, system: "node-2", attempt: 1, reason: "what?"))
        #expect(state.excluded == [.test(1), .test(2)])
    }

    @Test("input that cannot be read fails the run, unless another attempt has its bytes")
    func unreadable() throws {
        var state = state(1)
        let error = ScanError(.bulkUnreadable, "torn")
        let first = start(&state, on: 1)
        let hedge = state.hedged(first, on: .test(2), "node-2", at: .zero)?.0
        let second = try #require(hedge)
        let awaited = try end(first, on: 1, as: .error(error), in: &state)
        #expect(awaited.verdict == .awaited && awaited.event == nil)
        #expect(throws: error) { try end(second, on: 2, as: .error(error), in: &state) }
    }

    @Test("overdue tasks are hedged once no other can start and a slot idles")
    func hedging() throws {
        var state = state(2)
        let first = start(&state, on: 1)
        #expect(state.overdue(isHeldUp: true, hasIdleSlot: { _ in true }, at: moment(20)).isEmpty)
        // The other task waits for the system that holds its bytes.
        var waiting = state
        #expect(waiting.overdue(hasIdleSlot: { _ in true }, at: moment(20)) == [first])
        let second = start(&state, on: 1, at: moment(15))
        #expect(state.overdue(hasIdleSlot: { _ in false }, at: moment(20)).isEmpty)
        #expect(state.wakeUp == nil)
        #expect(state.overdue(hasIdleSlot: { _ in true }, at: moment(20)) == [first])
        #expect(state.wakeUp == moment(25))
        _ = state.systemsChanged(to: members(1))
        let hedge = state.hedged(first, on: .test(2), "node-2", at: moment(20))
        #expect(
            hedge?.1 == .taskHedged(index: 0, system: "node-2", attempt: 2, slow: "node-1", seconds: 20))
        #expect(state.wakeUp == moment(25))
        #expect(state.overdue(hasIdleSlot: { _ in true }, at: moment(24)).isEmpty)
        #expect(state.overdue(hasIdleSlot: { _ in true }, at: moment(25)) == [second])
        let done = try end(first, on: 1, as: .finished(seconds: 1), in: &state)
        #expect(done.verdict == .committed(others: [hedge?.0].compactMap(\.self), blamed: []))
    }

    @Test("tasks with effects of their own are neither hedged nor taken to an idle system")
    func unhedged() {
        var options = ScanCoordinator.Options()
        options.hedges = false
        var state = state(1, options: options)
        _ = start(&state, on: 1)
        #expect(state.overdue(hasIdleSlot: { _ in true }, at: moment(2000)).isEmpty)
        #expect(!state.mayRescue(isHeldUp: false, at: moment(2000)) && state.wakeUp == nil)
    }

    @Test("without any system the run fails after the wait, with the last cause")
    func orphaned() {
        var state = state(1, options: .init(waitForSystems: .seconds(3)))
        #expect(
            state.systemsChanged(to: members(1), isFirst: true) == [.systemJoined(name: "node-1", slots: 1)])
        #expect(state.systemsChanged(to: []) == [.systemLeft(name: "node-1")])
        #expect(state.checkOrphaned(hasSystem: { _, _ in false }, hasStuckSystem: { false }, at: .zero) == nil)
        #expect(state.wakeUp == moment(3))
        #expect(state.checkOrphaned(hasSystem: { _, _ in true }, hasStuckSystem: { false }, at: moment(2)) == nil)
        #expect(state.wakeUp == nil)
        #expect(state.checkOrphaned(hasSystem: { _, _ in false }, hasStuckSystem: { false }, at: moment(2)) == nil)
        #expect(state.checkOrphaned(hasSystem: { _, _ in false }, hasStuckSystem: { false }, at: moment(4)) == nil)
        let error = state.checkOrphaned(hasSystem: { _, _ in false }, hasStuckSystem: { false }, at: moment(5))
        #expect(error?.code == .noSystem)
        #expect(error?.message == "for 3.0 s there was no system to run the tasks; the last cause: node-1 left")
    }

    @Test("a run fails also if the systems lack a tag that all its tasks need, and says which")
    func orphanedByTags() {
        var state = ScanCoordinator.RunState(options: .init(waitForSystems: .seconds(3)))
        _ = state.pulled(TaskRequest(cost: 1, tags: ["gpu"]))
        _ = state.pulled(TaskRequest(cost: 1, tags: ["gpu", "fast-disk"]))
        state.exhausted()
        func error(_ tags: Set<String>, at seconds: Double) -> ScanError? {
            state.checkOrphaned(
                hasSystem: { $1.tags.isSubset(of: tags) }, hasStuckSystem: { false }, at: moment(seconds))
        }
        #expect(error(["gpu"], at: 0) == nil && state.wakeUp == nil)
        #expect(error(["fast-disk"], at: 0) == nil && state.wakeUp == moment(3))
        #expect(
            error([], at: 3)?.message
                == "for 3.0 s there was no system to run the tasks that has the tags they need (fast-disk, gpu);"
                + " is a node running?")
    }

    private let late = AttemptOutcome.error(ScanError(.timedOut, "no answer within 60 s", system: "node-1"))

    @Test("a system is not used again when as many attempts in a row exceed their time as it has slots")
    func stuckSystem() throws {
        var state = state(5, options: .init(adaptiveTimeout: AdaptiveTimeout()))
        let attempts = (0..<5).map { _ in start(&state, on: 1) }
        _ = try end(attempts[0], on: 1, as: late, in: &state, slots: 2)
        #expect(state.excluded.isEmpty)
        // It answers in between: a slot works.
        _ = try end(attempts[1], on: 1, as: .finished(seconds: 1), in: &state, slots: 2)
        _ = try end(attempts[2], on: 1, as: late, in: &state, slots: 2)
        #expect(state.excluded.isEmpty && !state.isStuck(.test(1)))
        _ = try end(attempts[3], on: 1, as: late, in: &state, slots: 2)
        #expect(state.excluded == [.test(1)] && state.isStuck(.test(1)))
        // What waited there is cancelled, which is not reported.
        let cancelled = try end(attempts[4], on: 1, as: .error(ScanError(.cancelled, "cancelled")), in: &state)
        #expect(cancelled.verdict == .retried && cancelled.event == nil)
    }

    @Test("a limit that was set, which may be short, does not exclude a system")
    func setLimit() throws {
        var state = state(2, options: .init(timeout: .seconds(1), adaptiveTimeout: AdaptiveTimeout()))
        for _ in 0..<2 {
            let attempt = start(&state, on: 1)
            _ = try end(attempt, on: 1, as: late, in: &state)
        }
        #expect(state.excluded.isEmpty)
    }

    @Test("when the only system is stuck, the tasks are given up after the wait, each with its cause")
    func givingUp() throws {
        var state = state(
            3, options: .init(waitForSystems: .seconds(3), adaptiveTimeout: AdaptiveTimeout()))
        _ = state.systemsChanged(to: members(1), isFirst: true)
        let attempt = start(&state, on: 1)
        _ = try end(attempt, on: 1, as: late, in: &state)
        func check(_ seconds: Double, hasSystem: Bool = false) {
            let error = state.checkOrphaned(
                hasSystem: { _, _ in hasSystem }, hasStuckSystem: { false }, at: moment(seconds))
            #expect(error == nil)
        }
        check(1)
        check(3.9)
        #expect(!state.isGivingUp)
        check(4)
        #expect(state.isGivingUp && state.wakeUp == nil)
        let first = state.giveUpFirst()
        let failure = TaskFailure(message: "no answer within 60 s", system: "node-1", attempt: 1)
        #expect(first.event == .taskFailed(index: 0, cost: 2, failure: failure))
        // A system that joins gets the others.
        check(5, hasSystem: true)
        #expect(!state.isGivingUp)
        check(6)
        check(9)
        let second = state.giveUpFirst()
        guard case .taskFailed(_, _, let cause) = second.event else {
            Issue.record("it is not given up")
            return
        }
        #expect("\(cause)" == "no system is left to run it; the last cause: node-1: no answer within 60 s")
        _ = state.giveUpFirst()
        #expect(state.isDone && state.contradiction == nil)
    }

    @Test("tasks are given up, too, if the slots are held by scans of an earlier run")
    func givingUpByEarlierRun() {
        var state = state(1, options: .init(waitForSystems: .zero))
        for _ in 0..<2 {
            #expect(
                state.checkOrphaned(hasSystem: { _, _ in false }, hasStuckSystem: { true }, at: .zero) == nil)
        }
        #expect(state.isGivingUp)
    }

    @Test("tasks in flight are hedged while a run waits for others to arrive")
    func starved() {
        var state = state(1, isWhole: false)
        state.looksAhead = true
        #expect(state.wantsTask)
        let slow = start(&state, on: 1)
        func overdue() -> [ScanSystem.AttemptID] { state.overdue(hasIdleSlot: { _ in true }, at: moment(100)) }
        let early = overdue()
        state.starves()
        let starved = overdue()
        #expect(early.isEmpty && starved == [slow])
        #expect(!state.isDone && state.contradiction == nil)
        _ = state.pulled(TaskRequest(cost: 1))
        let later = overdue()
        #expect(later.isEmpty && state.contradiction == nil)
    }

    @Test("a slow consumer holds the run up")
    func heldUp() {
        let state = state(1, options: .init(responseBuffer: 2))
        #expect(!state.isHeldUp(by: 1))
        #expect(state.isHeldUp(by: 2))
    }

    @Test(
        "whatever happens, each task has one response and the state holds together", arguments: 0..<200 as Range<UInt64>
    )
    func sequences(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var state = state(0, isWhole: false)
        var running: [(attempt: ScanSystem.AttemptID, system: UInt64)] = []
        var (pulled, responses, now) = (0, 0, 0.0)
        while !state.isDone {
            now += 1
            if pulled < 20, state.wantsTask {
                _ = state.pulled(TaskRequest(cost: 1))
                pulled += 1
            } else if pulled == 20, !state.isExhausted {
                state.exhausted()
            }
            let system = UInt64.random(in: 1...4, using: &random)
            if !state.ledger.pending.isEmpty, .random(using: &random) {
                running.append((state.started(atOffset: 0, on: .test(system), at: moment(now)), system))
            }
            for overdue in state.overdue(hasIdleSlot: { _ in true }, at: moment(now)) {
                if let hedge = state.hedged(overdue, on: .test(system), "node", at: moment(now)) {
                    running.append((hedge.0, system))
                }
            }
            #expect(state.contradiction == nil)
            guard let place = running.indices.randomElement(using: &random), .random(using: &random) else { continue }
            let (attempt, on) = running.remove(at: place)
            let ends: [AttemptOutcome] = [
                .finished(seconds: 1), .finished(seconds: 1), .failed("no"),
                .error(ScanError(.systemLost, "lost")), .error(ScanError(.refused, "full")),
                .error(ScanError(.timedOut, "late")),
            ]
            guard let how = ends.randomElement(using: &random) else { return }
            switch try end(attempt, on: on, as: how, in: &state, at: now).verdict {
            case .committed(let others, _):
                responses += 1
                running.removeAll { others.contains($0.attempt) }
            case .failed: responses += 1
            case .ignored: Issue.record("this cannot happen")
            case .retried, .awaited: break
            }
        }
        #expect(responses == 20 && running.isEmpty)
    }
}
