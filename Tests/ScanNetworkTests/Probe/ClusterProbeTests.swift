import ScanCluster
import ScanFarm
import ScanNetwork
import Testing

@Suite("A probe of systems", .timeLimit(.minutes(10)))
struct ClusterProbeTests {
    @Test("runs every task on the node, one at a time for round trips, with bulk bytes for the link")
    func measures() async throws {
        let node = try TestNode()
        let (systems, nodes, _) = await connect(node.address)
        let probe = ClusterProbe(systems)
        #expect(try await probe.rate(tasks: 300) > 0)
        #expect(node.server.status.done == 300)
        let times = try await probe.roundTrips(20)
        #expect(times.values.count == 20 && times.lowest > 0)
        #expect(try await probe.bandwidth(tasks: 5, bytesEach: 100_000) > 0)
        #expect(node.server.status.done == 325)
        nodes.close()
        node.server.stop()
    }

    @Test("answers with the number of bytes that came")
    func bytes() throws {
        let bulk = BulkBytes(byteCount: 7) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
        #expect(ProbeTask(id: 1).scan(ScanContext(bulk: bulk)) == 7)
        #expect(ProbeTask(id: 1).scan(ScanContext()) == 0)
    }

    @Test("tries a task once: no measurement includes a failed attempt")
    func faults() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let node = try TestNode(listen: port.address)
        let (systems, nodes, _) = await connect(node.address)
        let subset = systems.subset(systems.snapshot.map(\.id))
        node.server.stop()
        await eventually { systems.snapshot.isEmpty }
        await #expect(throws: TaskFailure.self) { try await ClusterProbe(subset).rate(tasks: 1) }
        nodes.close()
    }
}
