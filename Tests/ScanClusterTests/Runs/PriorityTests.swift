import ScanCluster
import ScanTestSupport
import Testing

/// Has a priority and a policy of its own.
private struct Errand: ScanTask {
    static let typeName = "test.errand/1"
    var id: Int
    var priority = 0
    var attempts = 3
    var backOff = Duration.zero
    var isFinal = false
    var retriesThrownErrors = true

    var retryPolicy: RetryPolicy? {
        RetryPolicy(
            attempts: attempts, backOff: backOff, finalErrors: isFinal ? [.invalidResponse] : [],
            retriesThrownErrors: retriesThrownErrors)
    }

    func scan(_ context: ScanContext) -> Int { id }
}

@Suite struct PriorityTests {
    /// Runs errands on one slot.
    /// - Returns: what started when, in milliseconds, and the failed attempts of those that were given up.
    private func run(
        _ errands: [Errand], behaviour: @escaping @Sendable (_ started: Int, Int) -> FakeNode.Behaviour
    ) throws -> (starts: [(id: Int, at: Int64)], failed: [Int: Int]) {
        let farm = Farm()
        farm.add(1, slots: 1) { started, task in behaviour(started, (task as? Errand)?.id ?? -1) }
        let coordinator = ScanCoordinator(systems: farm.systems, clock: farm.clock, executor: farm.executor)
        let starts = Locked<[(id: Int, at: Int64)]>([])
        let failed = farm.executor.run {
            var failed: [Int: Int] = [:]
            let responses = coordinator.responses(
                to: errands,
                observer: { event in
                    if case .taskStarted(let index, _, _, _) = event {
                        starts.withLock { $0.append((errands[index].id, farm.clock.now.nanoseconds / 1_000_000)) }
                    }
                })
            do throws(ScanError) {
                for try await response in responses {
                    if case .failure(let failure) = response.result { failed[response.id] = failure.attempt }
                }
            } catch {
                failed[-1] = 0
            }
            return failed
        }
        return (starts.withLock { $0 }, try #require(failed))
    }

    @Test("the most urgent tasks start first, those of the same priority in their order")
    func order() throws {
        // Two are in flight, one of them waiting, when the others are compared.
        let priorities = [1, 1, 0, 5, 0, 5, -1, 7]
        let errands = priorities.enumerated().map { Errand(id: $0, priority: $1) }
        let (starts, failed) = try run(errands) { _, _ in .answer(after: .milliseconds(10)) }
        #expect(failed.isEmpty)
        #expect(starts.map(\.id) == [7, 3, 5, 0, 1, 2, 4, 6])
    }

    @Test("a task waits longer after each failure, and other tasks run meanwhile")
    func backOff() throws {
        let errands = [Errand(id: 0, attempts: 4, backOff: .seconds(1)), Errand(id: 1), Errand(id: 2)]
        let (starts, failed) = try run(errands) { _, id in
            id == 0 ? .throwing("no", after: .milliseconds(10)) : .answer(after: .milliseconds(10))
        }
        #expect(failed == [0: 4])
        let times = starts.filter { $0.id == 0 }.map(\.at)
        try #require(times.count == 4)
        #expect(times[1] - times[0] >= 1000 && times[2] - times[1] >= 2000 && times[3] - times[2] >= 4000)
        #expect(times[3] - times[2] < 4200)
        #expect(starts.filter { $0.id > 0 }.allSatisfy { $0.at < 1000 })
    }

    @Test("a task has as many attempts as it says, and none after a final error")
    func limits() throws {
        let one = try run([Errand(id: 0, attempts: 1)]) { _, _ in .throwing("no", after: .milliseconds(1)) }
        #expect(one.failed == [0: 1])
        let thrown = try run([Errand(id: 0, retriesThrownErrors: false)]) { _, _ in
            .throwing("no", after: .milliseconds(1))
        }
        #expect(thrown.failed == [0: 1] && thrown.starts.count == 1)
        let final = try run([Errand(id: 0, isFinal: true)]) { started, _ in
            started < 2 ? .fail(.invalidResponse, after: .milliseconds(1)) : .answer(after: .milliseconds(1))
        }
        #expect(final.failed == [0: 1])
        let usual = try run([Errand(id: 0)]) { started, _ in
            started < 2 ? .fail(.invalidResponse, after: .milliseconds(1)) : .answer(after: .milliseconds(1))
        }
        #expect(usual.failed.isEmpty)
    }

    @Test("waits double up to the longest, whatever the numbers")
    func waits() {
        let policy = RetryPolicy(attempts: 0, backOff: .seconds(2), longestBackOff: .seconds(5))
        #expect(policy.attempts == 1)
        #expect([0, 1, 2, 3, 1000].map(policy.wait) == [2, 2, 4, 5, 5].map { .seconds($0) })
        let endless = RetryPolicy(backOff: .seconds(Int64.max), longestBackOff: .seconds(Int64.max))
        #expect(endless.wait(afterFailures: .max) == .seconds(Int64.max))
    }
}
