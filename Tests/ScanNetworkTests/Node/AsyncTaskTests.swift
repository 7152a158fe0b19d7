import ScanCluster
import ScanNetwork
import Testing

/// Waits for its gate without a thread.
private struct AsyncGateTask: AsyncScanTask {
    static let typeName = "test.async-gate/1"
    var id: Int
    var gate: Int

    func scan(_ context: ScanContext) async throws -> Int {
        Gate.entered(gate)
        while !Gate.isOpen(gate) {
            do {
                try await Task.sleep(for: .milliseconds(1))
            } catch {
                if context.isCancelled { Gate.cancelled(gate) }
                throw error
            }
        }
        return id
    }
}

@Suite("Asynchronous tasks of a node", .timeLimit(.minutes(10)))
struct AsyncTaskTests {
    private func node() throws -> (NodeServer, String) {
        let server = NodeServer(
            name: "node", keys: testKeys, slots: 2, taskTypes: TaskTypes(AsyncGateTask.self), listen: "127.0.0.1:0")
        return (server, "\(try server.start())")
    }

    @Test("run within its slots, alone and in chunks", arguments: [1, 4])
    func runs(limit: Int) async throws {
        let (server, address) = try node()
        let gate = Gate.make()
        Gate.open(gate)
        let (systems, nodes, _) = await connect(address)
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let tasks = (0..<40).map { AsyncGateTask(id: $0, gate: gate) }
        let responses =
            limit == 1 ? coordinator.responses(to: tasks) : coordinator.responses(to: tasks, inChunksOf: limit)
        var ids: Set<Int> = []
        for try await response in responses { ids.insert(try response.get()) }
        #expect(ids == Set(0..<40))
        nodes.close()
        server.stop()
    }

    @Test("are cancelled when their attempt is")
    func cancelled() async throws {
        let (server, address) = try node()
        let gate = Gate.make()
        let system = try await system(address)
        let running = Task { try await system.run(AsyncGateTask(id: 0, gate: gate), attempt: 1) }
        await Gate.entered(gate, atLeast: 1)
        running.cancel()
        await #expect(throws: ScanError.self) { try await running.value }
        await Gate.cancelled(gate, atLeast: 1)
        await system.close()
        server.stop()
    }
}
