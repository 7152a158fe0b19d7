import ScanCluster
import SkyfarmTesting
import Testing

/// Fails, as often as its number says.
private struct Unlucky: ScanTask {
    static let typeName = "test.unlucky/1"
    struct Failure: Error, CustomStringConvertible { var description = "no luck" }
    var id: Int
    var cost = 0.001
    var policy: Policy

    enum Policy: Codable { case patient, once, final }

    var retryPolicy: RetryPolicy? {
        switch policy {
        case .patient: RetryPolicy(attempts: 3, backOff: .seconds(10))
        case .once: RetryPolicy(attempts: 3, retriesThrownErrors: false)
        case .final: RetryPolicy(attempts: 3, finalErrors: [.systemLost, .disconnected, .timedOut])
        }
    }

    func scan(_ context: ScanContext) throws -> Int {
        if policy == .final { return id }
        throw Failure()
    }
}

@Suite("The retry policy of tasks in chunks")
struct ChunkPolicyTests {
    private func run(
        _ tasks: [Unlucky], on farm: SimulatedFarm
    ) throws -> (failures: [Int: Int], events: [TaskEvent], elapsed: Duration) {
        try farm.run { (coordinator, elapsed) -> ([Int: Int], [TaskEvent], Duration) in
            var failures: [Int: Int] = [:]
            let events = Locked<[TaskEvent]>([])
            do {
                let run = coordinator.responses(to: tasks, inChunksOf: 8) { event in
                    events.withLock { $0.append(event) }
                }
                for try await response in run {
                    if case .failure(let failure) = response.result { failures[response.id] = failure.attempt }
                }
            } catch {
                failures[-1] = 0
            }
            return (failures, events.withLock { $0 }, elapsed())
        }
    }

    private func started(_ events: [TaskEvent]) -> [Int: Int] {
        events.reduce(into: [:]) { counts, event in
            if case .taskStarted(let index, _, _, _) = event { counts[index, default: 0] += 1 }
        }
    }

    @Test("waits before the second and the third attempt, of which the first was that in the chunk")
    func backOff() throws {
        let tasks = (0..<20).map { Unlucky(id: $0, policy: .patient) }
        let (failures, events, elapsed) = try run(tasks, on: SimulatedFarm(nodes: 1))
        #expect(failures == Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, 3) }))
        #expect(elapsed >= .seconds(30) && elapsed < .seconds(40))
        #expect(started(events) == Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, 3) }))
        #expect(events.count { if case .taskFailed = $0 { true } else { false } } == 20)
    }

    @Test("does not try what has thrown again if it says so")
    func thrown() throws {
        let tasks = (0..<20).map { Unlucky(id: $0, policy: .once) }
        let (failures, events, _) = try run(tasks, on: SimulatedFarm(nodes: 1))
        #expect(failures == Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, 1) }))
        #expect(started(events).values.allSatisfy { $0 == 1 })
    }

    @Test("reports an error that is final at once")
    func finalErrors() throws {
        var farm = SimulatedFarm(seed: 2, nodes: 2)
        farm.nodes[0].faults = [.kill(at: .seconds(5), for: .seconds(1))]
        let tasks = (0..<8).map { Unlucky(id: $0, cost: 10, policy: .final) }
        let (failures, events, _) = try run(tasks, on: farm)
        // Those that ran on the node that was killed.
        #expect(!failures.isEmpty && failures.count < 8 && failures.values.allSatisfy { $0 == 1 })
        #expect(failures.keys.allSatisfy { started(events)[$0] == 1 })
    }
}
