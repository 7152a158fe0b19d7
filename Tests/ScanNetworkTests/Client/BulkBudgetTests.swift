import ScanCluster
import ScanNetwork
import Testing

@Suite("Bulk bytes in transit to nodes", .timeLimit(.minutes(10)))
struct BulkBudgetTests {
    /// A task that waits at a gate, with bulk bytes beside it.
    static let size = 1 << 20

    /// Counts the bulk bytes that are in memory.
    final class Live: Sendable {
        private let counts = Locked((now: 0, most: 0, loads: 0))
        var now: Int { counts.withLock { $0.now } }
        var most: Int { counts.withLock { $0.most } }
        var loads: Int { counts.withLock { $0.loads } }

        var source: BulkSource {
            BulkSource(byteCount: BulkBudgetTests.size) {
                self.counts.withLock { counts in
                    counts.now += 1
                    counts.loads += 1
                    counts.most = max(counts.most, counts.now)
                }
                return BulkBytes(lending: BulkBytes(byteCount: BulkBudgetTests.size) { _ in }) {
                    self.counts.withLock { $0.now -= 1 }
                }
            }
        }
    }

    @Test("fit into the budget, and are released when they are sent, long before the tasks are done")
    func budget() async throws {
        let nodes = [try TestNode(slots: 8), try TestNode(slots: 8)]
        let systems = Systems(clock: EventLoop.shared, bulkLimit: 3 * Self.size)
        let links = RemoteNodes(nodes.map(\.address), keys: testKeys, systems: systems)
        links.start()
        _ = await links.settled()
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let (gate, live) = (Gate.make(), Live())
        let job = Task {
            let tasks = (0..<40).map { GateTask(id: $0, gate: gate) }
            var count = 0
            for try await response in coordinator.responses(to: tasks, bulk: { _ in live.source }) {
                count += try response.get() ? 1 : 0
            }
            return count
        }
        await eventually { live.loads >= 32 && live.now == 0 }
        Gate.open(gate)
        #expect(try await job.value == 40)
        #expect(live.most <= 3)
        // On a machine so slow that this takes 10 s, tasks get second attempts.
        #expect(live.loads >= 40)
        links.close()
        for node in nodes { node.server.stop() }
    }

    @Test("are released when the connection is lost")
    func lost() async throws {
        let info = NodeInfo(
            identity: SystemID(high: 7, low: 7), name: "deaf", slots: 4, queueLimit: 4, taskTypes: [GateTask.typeName],
            frameLimit: 1 << 30)
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(info)).encoded
        let server = try StrangeServer(answer: welcome, keys: testKeys, waits: true)
        let systems = Systems(clock: EventLoop.shared, bulkLimit: Self.size)
        let links = RemoteNodes([server.address], keys: testKeys, systems: systems)
        links.start()
        _ = await links.settled()
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let live = Live()
        let job = Task {
            let tasks = (0..<100).map { GateTask(id: $0, gate: 0) }
            for try await _ in coordinator.responses(to: tasks, bulk: { _ in live.source }) {}
        }
        await eventually { live.loads > 0 }
        job.cancel()
        _ = await job.result
        links.close()
        await eventually { live.now == 0 }
        server.stop()
    }
}
