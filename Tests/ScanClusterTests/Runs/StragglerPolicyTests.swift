import ScanCluster
import Testing

@Suite struct StragglerPolicyTests {
    /// Two tasks in flight since second 0: the first costs 1, the second 4.
    private var ledger: ScanCoordinator.RunState.Ledger {
        var ledger = ScanCoordinator.RunState.Ledger(limits: .init(attempts: 3, faults: 3))
        for cost in [1.0, 4] { _ = ledger.add(TaskRequest(cost: cost)) }
        for system: UInt64 in [1, 2] { _ = ledger.start(atOffset: 0, on: .test(system), at: .zero) }
        return ledger
    }

    private func policy(_ seconds: [Double]) -> StragglerPolicy {
        var policy = StragglerPolicy()
        for seconds in seconds { policy.measure(cost: 1, time: .seconds(seconds)) }
        return policy
    }

    private func at(_ seconds: Double) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

    @Test("before three tasks were measured nothing is overdue for ten seconds", arguments: [[], [1], [1, 1]])
    func fewest(seconds: [Double]) {
        let early = policy(seconds).assess(ledger.running, now: at(9.9))
        #expect(early.overdue.isEmpty && early.next == at(10))
        #expect(policy(seconds).assess(ledger.running, now: at(10)).overdue.count == 2)
        #expect(policy([1, 1, 1]).assess(ledger.running, now: at(9.9)).overdue.count == 2)
        // What is known to be slow gets its time.
        #expect(policy([100]).assess(ledger.running, now: at(99)).overdue.isEmpty)
    }

    @Test("a task is overdue after twice the median time of its cost, and the next one is announced")
    func due() throws {
        let policy = policy([1, 1, 1, 60])
        let early = policy.assess(ledger.running, now: at(1.5))
        #expect(early.overdue.isEmpty)
        let next = try #require(early.next).since(.zero)
        #expect((1.7...2.4).contains(next / .seconds(1)))
        let found = policy.assess(ledger.running, now: at(3))
        #expect(found.overdue.map(\.index) == [0])
        #expect(try #require(found.next).since(.zero) / .seconds(1) > 6.8)
    }

    @Test("the most overdue comes first")
    func order() {
        #expect(policy([1, 1, 1]).assess(ledger.running, now: at(20)).overdue.map(\.index) == [0, 1])
    }

    @Test("a task is overdue once more when its newest attempt is, until three are in flight")
    func attempts() throws {
        var ledger = ledger
        let policy = policy([1, 1, 1])
        for (number, second) in zip([2, 3], [3.0, 6]) {
            let overdue = try #require(policy.assess(ledger.running, now: at(second)).overdue.first)
            #expect(overdue.number == number - 1)
            _ = ledger.hedge(overdue, on: .test(UInt64(10 + number)), at: at(second))
            #expect(policy.assess(ledger.running, now: at(second + 1)).overdue.allSatisfy { $0.index == 1 })
        }
        #expect(policy.assess(ledger.running, now: at(7)).overdue.allSatisfy { $0.index == 1 })
        #expect(policy.assess(ledger.running, now: at(1000)).overdue.map(\.index) == [1])
    }

    @Test("times far from any other are measured, and invalid ones are not", arguments: [1e-30, 1e-9, 1, 1e9, 1e300])
    func extremes(seconds: Double) {
        var policy = StragglerPolicy()
        for cost in [0, -1, .nan, .infinity] { policy.measure(cost: cost, time: .seconds(1)) }
        #expect(policy.assess(ledger.running, now: at(9)).overdue.isEmpty)
        for _ in 0..<3 { policy.measure(cost: 1 / seconds, time: .seconds(1)) }
        let findings = policy.assess(ledger.running, now: at(1))
        #expect(findings.overdue.isEmpty == (seconds >= 1))
    }
}
