import ScanCluster
import ScanNetwork
import Testing

@Suite("who is connected to a node", .timeLimit(.minutes(10))) struct CoordinatorListTests {
    private func coordinators(_ node: TestNode) async -> [NodeServer.Coordinator] {
        await withCheckedContinuation { continuation in
            node.server.coordinators { continuation.resume(returning: $0) }
        }
    }

    @Test("each coordinator is listed with its tasks while it is connected")
    func list() async throws {
        let node = try TestNode()
        #expect(await coordinators(node).isEmpty)
        let (first, second) = (try await system(node.address), try await system(node.address))
        for number in 1...3 { _ = try await first.run(SumTask(id: number, number: number), attempt: 1) }
        let list = await coordinators(node)
        #expect(list.map(\.done) == [3, 0] && list.map(\.inFlight) == [0, 0] && list.map(\.cancelled) == [0, 0])
        #expect(list.allSatisfy { $0.address.hasPrefix("127.0.0.1:") && !$0.name.isEmpty })
        await first.close()
        await second.close()
        await eventually { await coordinators(node).isEmpty }
        node.server.stop()
    }
}
