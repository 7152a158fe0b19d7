import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import Testing

/// Waits until `condition` holds.
private func eventually(_ condition: () async -> Bool) async {
    while !Task.isCancelled, await !condition() { try? await Task.sleep(for: .milliseconds(5)) }
}

@Suite("A node", .timeLimit(.minutes(10)))
struct ScanNodeTests {
    let keys: KeyRing
    let network = InMemoryDiscovery(address: HostAddress("127.0.0.1"))

    init() throws { keys = KeyRing(current: try .random()) }

    func node(_ name: String) -> ScanNode {
        ScanNode(
            name: name, keys: keys, slots: 2, serving: TaskTypes(DoubleTask.self), listen: "127.0.0.1:0",
            discovering: [network])
    }

    /// Runs 100 tasks.
    func sum(_ coordinator: ScanCoordinator) async throws -> Int {
        var sum = 0
        for try await response in coordinator.responses(to: (0..<100).map(DoubleTask.init)) {
            sum += try response.get()
        }
        return sum
    }

    @Test("that serves knows its peers, not itself, and opens no connection to them")
    func peers() async throws {
        let nodes = ["alpha", "beta", "gamma"].map(node)
        for node in nodes { try node.start() }
        for (index, node) in nodes.enumerated() {
            await eventually { node.systems.peers.count == 2 }
            let others = nodes.indices.filter { $0 != index }
            #expect(node.systems.peers.map(\.name) == others.map { ["alpha", "beta", "gamma"][$0] })
            #expect(node.systems.peers.map(\.identity) == others.map { nodes[$0].identity })
            #expect(node.systems.peers.map(\.slots) == [2, 2])
        }
        // Connections that one of them opens now come after any that all have opened by themselves.
        nodes[0].connectPeers()
        await eventually { nodes[0].systems.snapshot.count { !$0.isLocal } == 2 }
        #expect(nodes.map { $0.server?.status.connections } == [0, 1, 1])
        for node in nodes.dropFirst() {
            #expect(await node.connections.states.isEmpty)
            #expect(!node.systems.snapshot.contains { !$0.isLocal })
        }
        await nodes[2].drain()
        await eventually { nodes[0].systems.peers.map(\.name) == ["beta"] }
        for node in nodes.prefix(2) { await node.close() }
    }

    @Test("connects the peers that it knows, and those that it discovers later, once work needs them")
    func connects() async throws {
        let (alpha, beta, gamma) = (node("alpha"), node("beta"), node("gamma"))
        for node in [alpha, beta] { try node.start() }
        await eventually { alpha.systems.peers.count == 1 }
        alpha.connectPeers()
        await eventually { alpha.systems.snapshot.contains { $0.name == "beta" } }
        #expect(beta.server?.status.connections == 1)
        try gamma.start()
        await eventually { alpha.systems.snapshot.contains { $0.name == "gamma" } }
        #expect(try await sum(alpha.coordinator) == 9900)
        // The connections are those of alpha alone.
        #expect(alpha.server?.status.connections == 0)
        for node in [alpha, beta, gamma] { await node.close() }
    }

    @Test("of another key is known to be unusable, and used once the keys are the same")
    func keys() async throws {
        let (alpha, beta) = (node("alpha"), node("beta"))
        let other = KeyRing(current: try .random())
        try alpha.start()
        await alpha.use(other)
        try beta.start()
        await eventually { beta.membership.peers.first?.unusableReason != nil }
        #expect(beta.systems.peers.isEmpty)
        await beta.use(other)
        await eventually { beta.systems.peers.map(\.name) == ["alpha"] }
        for node in [alpha, beta] { await node.close() }
    }

    @Test("that is paused tells its peers, and when it is resumed as well")
    func paused() async throws {
        let (alpha, beta) = (node("alpha"), node("beta"))
        for node in [alpha, beta] { try node.start() }
        await eventually { beta.systems.peers.map(\.name) == ["alpha"] }
        await alpha.pause("a test")
        await eventually { beta.membership.peers.first?.unusableReason?.cause == .paused }
        #expect(beta.systems.peers.map(\.isPaused) == [true])
        await alpha.resume()
        await eventually { beta.systems.peers.map(\.isPaused) == [false] }
        for node in [alpha, beta] { await node.close() }
    }

    @Test("of any type of task and a farm find each other without an address")
    func farm() async throws {
        let alpha = node("alpha")
        let running = Task { try await alpha.run() }
        let farm = try await Farm(discovering: [network], keys: keys, localSlots: 0, wait: .seconds(200))
        #expect(try await sum(farm.coordinator) == 9900)
        #expect(farm.systems.snapshot.map(\.id) == [alpha.identity])
        #expect(farm.systems.peers.map(\.name) == ["alpha"])
        await farm.close()
        running.cancel()
        try await running.value
        #expect(alpha.server?.status.connections == 0)
    }

    @Test("that finds no peer in time says so")
    func nothing() async throws {
        await #expect(throws: ScanError.self) {
            _ = try await Farm(discovering: [network], keys: keys, localSlots: 0, wait: .milliseconds(1))
        }
    }
}
