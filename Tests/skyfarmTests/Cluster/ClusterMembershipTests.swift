import ScanCluster
import ScanDiscovery
import ScanNetwork
import Testing

@testable import skyfarm

@Suite("Membership", .timeLimit(.minutes(5)))
struct ClusterMembershipTests {
    /// A node of this process, and a network on which it is announced.
    struct Network {
        let source: InMemoryDiscovery
        let server: NodeServer
        let port: UInt16

        init() throws {
            source = InMemoryDiscovery(address: HostAddress("127.0.0.1"))
            server = NodeServer(name: "alpha", slots: 2, scanners: .sky, listen: "127.0.0.1:0")
            port = try server.start().port
        }

        func announce(versions: ClosedRange<UInt16> = 1...1) {
            let facts = NodeAdvertisement(versions: versions, slots: 2, keyFingerprint: nil, id: server.identity)
            let name = ServiceAdvertisement.instanceName("alpha", of: server.identity)
            let service = ResolvedService(host: "h.local", port: port, txt: facts.record)
            source.announce(
                ServiceInstance(name: name, domain: "local."), service,
                addresses: [HostAddress("127.0.0.1")].compactMap { $0 })
        }
    }

    /// A search that ends with the test.
    func search(
        _ source: InMemoryDiscovery, hasLocalSystem: Bool = false,
        _ body: (ClusterMembership, Systems, AsyncStream<ClusterMembership.News>) async throws -> Void
    ) async throws {
        let systems = Systems(clock: EventLoop.shared)
        let nodes = RemoteNodes([], systems: systems)
        let (stream, news) = AsyncStream<ClusterMembership.News>.makeStream()
        let membership = ClusterMembership(
            [source], nodes: nodes, hasLocalSystem: hasLocalSystem, onNews: { news.yield($0) })
        let running = Task { await membership.run() }
        defer {
            running.cancel()
            nodes.close()
        }
        try await body(membership, systems, stream)
    }

    @Test("brings a node that is announced into the cluster")
    func joins() async throws {
        let network = try Network()
        try await search(network.source) { membership, systems, _ in
            network.announce()
            #expect(await systems.first(within: .seconds(200)))
            #expect(systems.snapshot.map(\.name) == ["alpha"])
            #expect(membership.findings.map(\.node.id) == [.identity(network.server.identity)])
        }
        network.server.stop()
    }

    @Test("does not use a node that speaks another protocol, and says why")
    func version() async throws {
        let network = try Network()
        network.announce(versions: 7...9)
        try await search(network.source) { membership, systems, news in
            let reason = "speaks protocol 7 to 9, this program 1; use the same version of skyfarm on both"
            let unused = await news.first { $0 != .available }
            #expect(unused == .unused(name: "alpha", reason: reason))
            #expect(membership.findings.map(\.obstacle) == [reason])
            #expect(systems.snapshot.isEmpty)
        }
        network.server.stop()
    }

    @Test("says why discovery is off, and that nothing can come")
    func off() async throws {
        let source = InMemoryDiscovery(address: nil)
        let error = DiscoveryError(.daemonAbsent, "discovery is off")
        source.stop(error)
        try await search(source) { membership, _, news in
            #expect(await news.first { _ in true } == .unavailable(error))
            #expect(membership.isBlind)
            #expect(membership.errors == [error])
            source.start()
            #expect(await news.first { _ in true } == .available)
            #expect(!membership.isBlind)
        }
    }

    @Test("a node of this machine counts only where this process runs no tasks itself")
    func ownMachine() throws {
        let address = try #require(HostAddress("10.0.0.1"))
        let node = DiscoveredNode(
            id: .name("a"), name: "a", addresses: [NodeAddress(host: address, port: 1)],
            advertisement: NodeAdvertisement(versions: nil, slots: nil, keyFingerprint: nil, id: nil),
            isOnThisMachine: true)
        #expect(ClusterMembership.obstacle(to: node, hasLocalSystem: false) == nil)
        #expect(ClusterMembership.obstacle(to: node, hasLocalSystem: true)?.contains("this machine") == true)
    }

    @Test("waiting for the first system ends, whether one comes or not")
    func first() async {
        let systems = Systems(clock: EventLoop.shared)
        #expect(!(await systems.first(within: .milliseconds(1))))
        var generator = SystemRandomNumberGenerator()
        let system = ScanSystem(
            local: 1, id: SystemID(using: &generator), name: "local", clock: EventLoop.shared)
        systems.join(system)
        #expect(await systems.first(within: .seconds(1000)))
        await system.close()
    }
}
