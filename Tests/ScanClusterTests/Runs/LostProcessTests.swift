import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

/// Tasks that end the process that runs them, and nodes that end for other reasons.
@Suite("a task that ends its process") struct LostProcessTests {
    private func ledger(_ count: Int) -> ScanCoordinator.RunState.Ledger {
        var ledger = ScanCoordinator.RunState.Ledger(limits: .init(attempts: 3, faults: 8))
        for _ in 0..<count { _ = ledger.add(TaskRequest(cost: 1)) }
        return ledger
    }

    @Test("is given up when two processes have ended with it, waits behind other tasks before, and is not hedged")
    func twice() {
        var ledger = ledger(3)
        let attempts = (0..<2).map { _ in ledger.start(atOffset: 0, on: .test(1), at: .zero) }
        for attempt in attempts { #expect(ledger.end(attempt, as: .processLost) == .retried) }
        #expect(ledger.contradiction == nil && ledger.pending.map(\.entry) == [2, 0, 1])
        #expect(ledger.pending.map(\.request.isSuspect) == [false, true, true])
        #expect(ledger.add(TaskRequest(cost: 1)) == 3 && ledger.pending.map(\.entry) == [2, 3, 0, 1])
        let again = ledger.start(atOffset: 2, on: .test(2), at: .zero)
        #expect(Array(ledger.running).isEmpty && Array(ledger.single.map(\.attempt)).isEmpty)
        #expect(ledger.end(again, as: .processLost) == .failed)
        #expect(ledger.contradiction == nil && ledger.failed == 1)
        let other = ledger.start(atOffset: 2, on: .test(3), at: .zero)
        #expect(ledger.end(other, as: .succeeded) == .committed(others: [], blamed: []))
        #expect(ledger.contradiction == nil)
    }

    @Test("is none if the process turns out to run, since its connection alone was lost")
    func exonerated() {
        var ledger = ledger(2)
        let (first, second) = (
            ledger.start(atOffset: 0, on: .test(1), at: .zero), ledger.start(atOffset: 0, on: .test(2), at: .zero)
        )
        _ = ledger.end(first, as: .processLost)
        _ = ledger.end(second, as: .processLost)
        ledger.exonerate(by: .test(2))
        #expect(ledger.pending.map(\.entry) == [1, 0] && ledger.contradiction == nil)
        // The process of node 1 proves to run while the task is in flight again.
        let again = ledger.start(atOffset: 1, on: .test(3), at: .zero)
        ledger.exonerate(by: .test(1))
        #expect(ledger.end(again, as: .processLost) == .retried && ledger.contradiction == nil)
    }

    private func registry(local: Int, nodes: Int) -> Systems.State {
        var systems = Systems.State()
        _ = systems.join(id: .test(9), name: "local", slots: local, depth: 4, isLocal: true)
        for number in 0..<nodes {
            _ = systems.join(id: .test(UInt64(number)), name: "node-\(number)", slots: 2, depth: 4, isLocal: false)
        }
        return systems
    }

    private func pending(_ suspects: [Bool]) -> ScanCoordinator.RunState.Ledger.Pending {
        var pending = ScanCoordinator.RunState.Ledger.Pending()
        for (entry, isSuspect) in suspects.enumerated() {
            var request = TaskRequest(cost: 1)
            request.isSuspect = isSuspect
            pending.append(PendingTask(entry: entry, request: request))
        }
        return pending
    }

    @Test("runs alone on a node, and not in the coordinator's process while there is a node")
    func apart() throws {
        var systems = registry(local: 2, nodes: 2)
        let suspects = pending([true, true, true])
        func pick(_ excluded: Set<SystemID> = []) -> Systems.State.Reservation? {
            systems.pick(from: suspects, excluding: excluded, run: RunID(rawValue: 0), at: .zero)?.reservation
        }
        let (first, second) = (try #require(pick()), try #require(pick()))
        #expect(Set([first.system, second.system]) == [.test(0), .test(1)])
        #expect(pick() == nil && systems.contradiction == nil)
        _ = systems.release(first, as: .finished(seconds: 1), at: .zero)
        #expect(pick()?.system == first.system && systems.contradiction == nil)
        // Nothing joins it, and it joins nothing.
        let others = pending([false])
        #expect(systems.pick(from: others, excluding: [.test(9)], run: RunID(rawValue: 0), at: .zero) == nil)
        _ = systems.release(second, as: .finished(seconds: 1), at: .zero)
        #expect(systems.pick(from: others, excluding: [.test(9)], run: RunID(rawValue: 0), at: .zero) != nil)
        #expect(pick() == nil && systems.contradiction == nil)
    }

    @Test("runs in the coordinator's process if no node is left for it, after all other tasks")
    func local() throws {
        var systems = registry(local: 2, nodes: 1)
        func pick(_ suspects: [Bool], _ excluded: Set<SystemID> = [.test(0)]) -> (Int, Systems.State.Reservation)? {
            systems.pick(from: pending(suspects), excluding: excluded, run: RunID(rawValue: 0), at: .zero)
                .map { ($0.offset, $0.reservation) }
        }
        let other = try #require(pick([false, true]))
        #expect(other.0 == 0 && pick([true]) == nil)
        _ = systems.release(other.1, as: .finished(seconds: 1), at: .zero)
        systems.hasSpares = true
        #expect(pick([true]) == nil)
        systems.hasSpares = false
        let suspect = try #require(pick([true]))
        #expect(suspect.1.system == .test(9))
        // Two of them end it no more than one.
        #expect(pick([true]) != nil && systems.contradiction == nil)
    }

    @Test("that has failed on every node goes to one of them again, since it does not run in the coordinator's process")
    func avoided() {
        var systems = registry(local: 1, nodes: 2)
        var request = TaskRequest(cost: 1)
        request.isSuspect = true
        (request.placement, request.avoiding) = (.localFirst, [.test(0), .test(1)])
        var pending = ScanCoordinator.RunState.Ledger.Pending()
        pending.append(PendingTask(entry: 0, request: request))
        func pick() -> SystemID? {
            systems.pick(from: pending, excluding: [], run: RunID(rawValue: 0), at: .zero)?.reservation.system
        }
        #expect(pick() == .test(0))
        _ = systems.join(id: .test(2), name: "node-2", slots: 2, depth: 4, isLocal: false)
        // A node that has not failed it is awaited.
        #expect(pick() == .test(2) && pick() == nil && systems.contradiction == nil)
    }

    @Test("is the only kind of task that runs in a process that was started for it")
    func reserved() throws {
        var systems = registry(local: 1, nodes: 0)
        _ = systems.join(id: .test(5), name: "spare", slots: 1, depth: 2, isLocal: false, isSpare: true)
        func pick(_ suspects: [Bool]) -> SystemID? {
            systems.pick(
                from: pending(suspects), excluding: [], run: RunID(rawValue: 0), prefetching: false, at: .zero)?
                .reservation.system
        }
        #expect(pick([false, false]) == .test(9) && pick([false, true]) == nil && systems.contradiction == nil)
        #expect(!systems.hasIdleSlot(excluding: [], at: .zero))
        #expect(pick([true, true]) == .test(5) && pick([true]) == nil && systems.contradiction == nil)
        #expect(systems.usefulSlots(bytesPerCost: 1) == 1)
    }

    @Test("alone explains a loss: other tasks that were there are none")
    func explained() throws {
        var state = ScanCoordinator.RunState(options: .init())
        for _ in 0..<3 { _ = state.pulled(TaskRequest(cost: 1)) }
        func lose(_ attempt: ScanSystem.AttemptID, _ node: UInt64) throws -> TaskEvent? {
            try state.ended(
                attempt, on: (.test(node), "node-\(node)", 2), as: .error(ScanError(.systemLost, "closed")),
                isProcessLost: true, at: .zero
            ).event
        }
        _ = try lose(state.started(atOffset: 0, on: .test(1), at: .zero), 1)
        // A hedge was under way on the second node.
        let suspect = state.started(atOffset: 2, on: .test(2), at: .zero)
        let other = state.started(atOffset: 0, on: .test(2), at: .zero)
        let retried = try lose(other, 2)
        #expect(retried == .taskRetried(index: other.index, system: "node-2", attempt: 1, reason: "closed"))
        guard case .taskFailed(_, _, let failure) = try lose(suspect, 2) else {
            return #expect(Bool(false), "is not given up")
        }
        #expect(failure.message == "ended the processes of node-1 and node-2, and is not run again (closed)")
        #expect(state.ledger.pending.allSatisfy { !$0.request.isSuspect } && state.contradiction == nil)
    }

    @Test("ends two nodes of eight and is named; all other tasks are done", arguments: 0..<60)
    func run(seed: UInt64) throws {
        let farm = Farm()
        let random = Locked(SplitMix64(seed: seed))
        @Sendable func chance(_ range: Range<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
        let count = chance(1..<100)
        let deadly = chance(0..<count)
        let crashed = Locked(0)
        for number in 1...8 {
            farm.add(UInt64(number), slots: chance(1..<5)) { _, task in
                let delay = Duration.microseconds(chance(10..<20_000))
                guard (task as? Square)?.id == deadly else { return .answer(after: delay) }
                crashed.withLock { $0 += 1 }
                return .crash(after: delay)
            }
        }
        let report = try #require(farm.run(count), "seed \(seed): the run hangs")
        #expect(report.error == nil && report.outputs.count == count - 1, "seed \(seed)")
        let failure = try #require(report.failures[deadly], "seed \(seed)")
        #expect(failure.message.contains("ended the processes of node-"), "seed \(seed): \(failure)")
        // Hedges that were under way when the first ended are not recalled.
        #expect((2...5).contains(crashed.withLock(\.self)), "seed \(seed)")
        #expect(farm.systems.snapshot.count >= 3, "seed \(seed)")
    }

    @Test("runs in a process that was started for it where no other is left, and others that were lost with it as well")
    func spares() throws {
        let farm = Farm()
        let asked = Locked<[Int]>([])
        @Sendable func behave(_ started: Int, _ task: any Sendable) -> FakeNode.Behaviour {
            (task as? Square)?.id == 1 ? .crash(after: .milliseconds(9)) : .answer(after: .milliseconds(10))
        }
        farm.add(1, slots: 4, behaviour: behave)
        farm.systems.offer { most in
            let number = asked.withLock { asked in
                asked.append(most)
                return UInt64(asked.count + 1)
            }
            // One at a time, so that each of them may be the last.
            var link = ScanSystem.Link()
            link.isSpare = true
            let node = farm.node(number, behaviour: behave)
            return farm.systems.join(
                ScanSystem(
                    remote: node, id: .test(number), name: node.name, slots: 1, link: link, clock: farm.clock,
                    executor: farm.executor))
        }
        let report = try #require(farm.run(5), "the run hangs")
        #expect(report.outputs.keys.sorted() == [0, 2, 3, 4])
        let failure = try #require(report.failures[1])
        #expect(failure.message.hasPrefix("ended the processes of node-1 and node-"))
        // One that ends is replaced only if a task waits for it.
        let counts = asked.withLock(\.self)
        #expect(!counts.isEmpty && counts.count <= 2 && counts[0] <= 5, "\(counts)")
    }

    @Test("has failed if no process can be started for it and none is left")
    func noSpares() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .crash(after: .milliseconds(1)) }
        farm.systems.offer { _ in false }
        let report = try #require(farm.run(3), "the run hangs")
        #expect(report.error?.code == .noSystem)
    }

    @Test("is not suspected for ever: a node that is killed costs no task", arguments: 0..<60)
    func killed(seed: UInt64) throws {
        let farm = Farm()
        let random = Locked(SplitMix64(seed: seed))
        @Sendable func chance(_ range: Range<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
        let nodes = (1...4).map { number in
            farm.add(UInt64(number), slots: chance(1..<5)) { _, _ in .answer(after: .microseconds(chance(10..<20_000)))
            }
        }
        let moment = Instant(nanoseconds: Int64(chance(0..<100_000_000)))
        _ = farm.clock.schedule(at: moment) { [nodes, farm] in
            nodes[0].close()
            farm.systems.leave(.test(1), isLost: true)
        }
        let count = chance(1..<120)
        let report = try #require(farm.run(count), "seed \(seed): the run hangs")
        #expect(report.error == nil && report.outputs.count == count, "seed \(seed): \(report.failures)")
    }
}
