import Foundation
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import Testing

@Suite("The registry of a node that a job is given", .timeLimit(.minutes(10)))
struct KnownPeersTests {
    private let alpha = Systems.Peer(
        key: "0 alpha", name: "alpha-1f0c2d3e", identity: SystemID(high: 0x0bad_cafe_0000_0000, low: 2), slots: 4,
        addresses: [SocketAddress(host: "10.0.0.1", port: 4870), SocketAddress(host: "fd00::1", port: 4870)])

    /// The nodes that a process discovers which is given these peers.
    private func discovered(_ peers: [Systems.Peer]) async throws -> [DiscoveredNode] {
        let known = try #require(KnownPeers(text: KnownPeers(peers).text))
        let discovery = NodeDiscovery(known)
        let search = Task { await discovery.run() }
        defer { search.cancel() }
        var nodes: [DiscoveredNode] = []
        for await event in discovery.events {
            guard case .found(let node) = event else { continue }
            nodes.append(node)
            if nodes.count == peers.count { break }
        }
        return nodes
    }

    @Test("has names, identities, slots and addresses, and whether a node is paused")
    func roundTrip() async throws {
        var beta = Systems.Peer(
            key: "0 beta", name: "beta", slots: nil, addresses: [SocketAddress(host: "10.0.0.2", port: 99)])
        beta.isPaused = true
        let nodes = try await discovered([alpha, beta]).sorted { $0.name < $1.name }
        #expect(nodes.map(\.name) == ["alpha-1f0c2d3e", "beta"])
        #expect(nodes[0].advertisement.id == alpha.identity && nodes[0].advertisement.slots == 4)
        #expect(nodes[0].addresses == alpha.addresses && nodes[1].addresses == beta.addresses)
        #expect(nodes.map(\.advertisement.isPaused) == [false, true])
    }

    @Test("is refused if it is not valid, and is never longer than an environment variable may be")
    func limits() {
        #expect(KnownPeers(text: "") == nil && KnownPeers(text: "{\"peers\":[],\"v\":2}") == nil)
        let many = (0..<5000).map { number in
            var peer = alpha
            peer.name = String(repeating: "n", count: 50) + "\(number)"
            return peer
        }
        #expect(KnownPeers(many).text.utf8.count < 128 << 10)
    }

    @Test("is enough to use a node: nothing else announces it")
    func connects() async throws {
        let keys = KeyRing(current: try .random())
        let server = ScanNode(
            name: "known", keys: keys, slots: 1, serving: TaskTypes(DoubleTask.self), listen: "127.0.0.1:0",
            discovering: [])
        let address = try #require(try server.start())
        let peer = Systems.Peer(
            key: "own", name: "known", identity: server.identity, slots: 1,
            addresses: [SocketAddress(host: "127.0.0.1", port: address.port)])
        let job = ScanNode(keys: keys, discovering: [KnownPeers([peer])])
        try job.start()
        while !Task.isCancelled, job.systems.snapshot.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(job.systems.snapshot.map(\.name) == ["known"])
        #expect(server.server?.status.connections == 1)
        await job.close()
        await server.close()
    }
}
