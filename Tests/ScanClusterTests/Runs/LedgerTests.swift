import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct LedgerTests {
    private func ledger(_ count: Int, attempts: Int = 3, faults: Int = 3) -> ScanCoordinator.RunState.Ledger {
        var ledger = ScanCoordinator.RunState.Ledger(limits: .init(attempts: attempts, faults: faults))
        for _ in 0..<count { _ = ledger.add(TaskRequest(cost: 1)) }
        #expect(ledger.contradiction == nil)
        return ledger
    }

    @Test("tasks start in the order of the run and are removed when they are committed")
    func order() {
        var ledger = ledger(3)
        for index in 0..<3 {
            let attempt = ledger.start(atOffset: 0, on: .test(1), at: .zero)
            #expect(attempt.index == index)
            #expect(attempt.number == 1)
            #expect(ledger.end(attempt, as: .succeeded) == .committed(others: [], blamed: []))
            #expect(ledger.contradiction == nil)
        }
        #expect(ledger.open == 0)
        #expect(ledger.committed == 3)
    }

    @Test("entries of done tasks are used again, and late outcomes of the old task are ignored")
    func late() {
        var ledger = ledger(1)
        let old = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        _ = ledger.end(old, as: .succeeded)
        #expect(ledger.end(old, as: .succeeded) == .ignored)
        #expect(ledger.add(TaskRequest(cost: 1)) == old.entry)
        #expect(ledger.end(old, as: .failed) == .ignored)
        let new = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        #expect(new.index == 1)
        #expect(ledger.end(old, as: .systemFault) == .ignored)
        #expect(ledger.contradiction == nil)
    }

    @Test("a lost attempt returns to the front of the queue")
    func front() {
        var ledger = ledger(4)
        let first = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        let second = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        #expect(ledger.end(second, as: .systemFault) == .retried)
        #expect(ledger.end(first, as: .refused) == .retried)
        #expect(ledger.contradiction == nil)
        #expect(ledger.pending.map(\.entry) == [first.entry, second.entry, 2, 3])
        let again = ledger.start(atOffset: 0, on: .test(2), at: .zero)
        #expect(again.index == 0)
        #expect(again.number == 1)
        #expect(ledger.start(atOffset: 0, on: .test(2), at: .zero).number == 2)
        #expect(ledger.end(first, as: .succeeded) == .ignored)
    }

    @Test("a task that threw, or whose system failed, prefers the local system and avoids the other")
    func placement() {
        var ledger = ledger(2)
        _ = ledger.end(ledger.start(atOffset: 0, on: .test(1), at: .zero), as: .failed)
        #expect(ledger.pending.first?.request.placement == .localFirst)
        #expect(ledger.pending.first?.request.avoiding == [.test(1)])
        _ = ledger.end(ledger.start(atOffset: 1, on: .test(2), at: .zero), as: .systemFault)
        #expect(ledger.pending.first?.request.placement == .localFirst)
        #expect(ledger.pending.first?.request.avoiding == [.test(2)])
    }

    @Test("throwing and faults have budgets of their own; refusals cost nothing")
    func budgets() {
        var ledger = ledger(1, attempts: 2, faults: 3)
        func end(_ outcome: ScanCoordinator.RunState.Ledger.Effect) -> ScanCoordinator.RunState.Ledger.Verdict {
            defer { #expect(ledger.contradiction == nil) }
            return ledger.end(ledger.start(atOffset: 0, on: .test(1), at: .zero), as: outcome)
        }
        #expect(end(.systemFault) == .retried)
        #expect(end(.failed) == .retried)
        for _ in 0..<20 { #expect(end(.refused) == .retried) }
        #expect(end(.systemFault) == .retried)
        #expect(end(.failed) == .failed)
        #expect(ledger.failed == 1)
        #expect(ledger.open == 0)
    }

    @Test("a task that loses system after system ends")
    func faults() {
        var ledger = ledger(1, faults: 2)
        #expect(ledger.end(ledger.start(atOffset: 0, on: .test(1), at: .zero), as: .systemFault) == .retried)
        #expect(ledger.end(ledger.start(atOffset: 0, on: .test(2), at: .zero), as: .systemFault) == .failed)
    }

    @Test("a success elsewhere blames the systems that threw")
    func blame() {
        var ledger = ledger(1)
        _ = ledger.end(ledger.start(atOffset: 0, on: .test(1), at: .zero), as: .failed)
        let second = ledger.start(atOffset: 0, on: .test(2), at: .zero)
        #expect(ledger.end(second, as: .succeeded) == .committed(others: [], blamed: [.test(1)]))
    }

    @Test("of two attempts in flight the first success commits, and the other is abandoned and ignored")
    func hedge() throws {
        var ledger = ledger(1)
        let first = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        let hedged = ledger.hedge(first, on: .test(2), at: .zero)
        let second = try #require(hedged)
        #expect(ledger.contradiction == nil)
        #expect(second.number == 2)
        #expect(ledger.inFlight == 2)
        #expect(ledger.end(second, as: .succeeded) == .committed(others: [first], blamed: []))
        #expect(ledger.contradiction == nil)
        #expect(ledger.inFlight == 0)
        #expect(ledger.end(first, as: .succeeded) == .ignored)
        #expect(ledger.hedge(first, on: .test(3), at: .zero) == nil)
    }

    @Test("a failed attempt whose task is still in flight elsewhere waits for that, even without budget")
    func hedgeFails() throws {
        var ledger = ledger(1, attempts: 1)
        let first = ledger.start(atOffset: 0, on: .test(1), at: .zero)
        let hedged = ledger.hedge(first, on: .test(2), at: .zero)
        let second = try #require(hedged)
        #expect(ledger.end(first, as: .failed) == .awaited)
        #expect(ledger.contradiction == nil)
        var copy = ledger
        #expect(copy.end(second, as: .succeeded) == .committed(others: [], blamed: [.test(1)]))
        #expect(ledger.end(second, as: .failed) == .failed)
        #expect(ledger.contradiction == nil)
    }

    @Test("any order of outcomes leaves every task done once", arguments: 0..<100)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ledger = ScanCoordinator.RunState.Ledger(limits: .init(attempts: 2, faults: 3))
        var running: [ScanSystem.AttemptID] = []
        var ended: [ScanSystem.AttemptID] = []
        var done: Set<Int> = []
        let count = 40
        while done.count < count {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where ledger.added < count:
                _ = ledger.add(TaskRequest(cost: 1))
            case 1 where !ledger.pending.isEmpty:
                let offset = Int.random(in: 0..<ledger.pending.count, using: &random)
                running.append(ledger.start(atOffset: offset, on: .test(random.next() % 3), at: .zero))
            case 2 where !running.isEmpty:
                let attempt = running.remove(at: Int.random(in: 0..<running.count, using: &random))
                let outcomes: [ScanCoordinator.RunState.Ledger.Effect] = [.succeeded, .failed, .systemFault, .refused]
                switch ledger.end(attempt, as: outcomes[Int.random(in: 0..<4, using: &random)]) {
                case .committed, .failed:
                    #expect(done.insert(attempt.index).inserted, "seed \(seed)")
                case .retried:
                    break
                case .ignored, .awaited:
                    Issue.record("seed \(seed): an attempt in flight was not known")
                }
                ended.append(attempt)
            case 3 where !ended.isEmpty:
                let late = ended[Int.random(in: 0..<ended.count, using: &random)]
                #expect(ledger.end(late, as: .succeeded) == .ignored, "seed \(seed)")
            default:
                break
            }
            #expect(ledger.contradiction == nil)
        }
        #expect(ledger.committed + ledger.failed == count, "seed \(seed)")
        #expect(ledger.inFlight == running.count, "seed \(seed)")
    }
}

@Suite struct PendingTasksTests {
    @Test("taking and returning tasks anywhere keeps the order of the rest", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var pending = ScanCoordinator.RunState.Ledger.Pending()
        var model: [Int] = []
        for entry in 0..<3000 {
            let task = PendingTask(entry: entry, request: TaskRequest(cost: 1))
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                pending.append(task)
                model.append(entry)
            case 2:
                pending.prepend(task)
                model.insert(entry, at: 0)
            default:
                guard !model.isEmpty else { continue }
                let offset = Int.random(in: 0..<model.count, using: &random)
                #expect(pending.remove(atOffset: offset).entry == model.remove(at: offset), "seed \(seed)")
            }
        }
        #expect(pending.map(\.entry) == model, "seed \(seed)")
    }

    @Test("a queue that never runs dry does not grow")
    func bounded() {
        var pending = ScanCoordinator.RunState.Ledger.Pending()
        for entry in 0..<10_000 {
            pending.append(PendingTask(entry: entry, request: TaskRequest(cost: 1)))
            if entry >= 256 { #expect(pending.remove(atOffset: 0).entry == entry - 256) }
        }
        #expect(pending.count == 256)
        #expect(pending.startIndex < 1024)
    }
}
