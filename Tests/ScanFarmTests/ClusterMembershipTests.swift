import Foundation
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import Testing

// They wait for threads that the tests of whole processes keep busy for minutes.
@Suite("Membership", .timeLimit(.minutes(20)))
struct ClusterMembershipTests {
    /// A node of this process, and a network on which it is announced.
    struct Network {
        let source: InMemoryDiscovery
        let server: NodeServer
        let port: UInt16
        let keys: KeyRing

        init() throws {
            keys = KeyRing(current: try .random())
            source = InMemoryDiscovery(address: HostAddress("127.0.0.1"))
            server = NodeServer(
                name: "alpha", keys: keys, slots: 2, taskTypes: TaskTypes(DoubleTask.self), listen: "127.0.0.1:0")
            port = try server.start().port
        }

        func announce(versions: ClosedRange<UInt16> = Hello.versions) {
            let facts = NodeAdvertisement(
                versions: versions, slots: 2, keyFingerprint: keys.announcement(at: .now), id: server.identity)
            let name = ServiceAdvertisement.instanceName("alpha", of: server.identity)
            let service = ResolvedService(host: "h.local", port: port, txt: facts.record)
            source.announce(
                ServiceInstance(name: name, domain: "local."), service,
                addresses: [HostAddress("127.0.0.1")].compactMap { $0 })
        }
    }

    /// A search that ends with the test.
    func search(
        _ source: InMemoryDiscovery, keys: KeyRing? = nil, hasLocalSystem: Bool = false,
        _ body: (ClusterMembership, Systems, AsyncStream<ClusterMembership.Change>) async throws -> Void
    ) async throws {
        let systems = Systems(clock: EventLoop.shared)
        let keys = try keys ?? KeyRing(current: .random())
        let nodes = RemoteNodes([], keys: keys, systems: systems)
        let (stream, change) = AsyncStream<ClusterMembership.Change>.makeStream()
        let membership = ClusterMembership(
            [source], connections: nodes, systems: systems, keys: keys, hasLocalSystem: hasLocalSystem,
            onChange: { change.yield($0) })
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
        try await search(network.source, keys: network.keys) { membership, systems, _ in
            network.announce()
            #expect(await systems.first(within: .seconds(1000)))
            #expect(systems.snapshot.map(\.name) == ["alpha"])
            #expect(membership.peers.map(\.node.id) == [.identity(network.server.identity)])
        }
        network.server.stop()
    }

    @Test("does not use a node that speaks another protocol, and says why")
    func version() async throws {
        let network = try Network()
        network.announce(versions: 7...9)
        try await search(network.source) { membership, systems, change in
            let reason = "speaks protocol 7 to 9, this program 2; use the same version of skyfarm on both"
            let unused = await change.first { if case .unused = $0 { true } else { false } }
            #expect(unused == .unused(name: "alpha", reason: reason))
            #expect(membership.peers.map(\.unusableReason?.text) == [reason])
            #expect(systems.snapshot.isEmpty)
        }
        network.server.stop()
    }

    @Test("does not use a node of another cluster, and says why; a key that is being replaced will do")
    func otherCluster() throws {
        let (ours, theirs) = (KeyRing(current: try .random()), KeyRing(current: try .random()))
        let host = try #require(HostAddress("10.0.0.1"))
        func reason(_ announced: String?, _ keys: KeyRing) -> UnusableReason? {
            let node = DiscoveredNode(
                id: .name("a"), name: "a", addresses: [SocketAddress(host: "\(host)", port: 1)],
                advertisement: NodeAdvertisement(versions: Hello.versions, slots: 2, keyFingerprint: announced, id: nil)
            )
            return UnusableReason(of: node, keys: keys, at: .now, hasLocalSystem: false)
        }
        let other = try #require(reason(theirs.announcement(at: .now), ours))
        #expect(other.next == "skyfarm key import")
        #expect(other.text.contains("\(theirs.current.fingerprint), ours is \(ours.current.fingerprint)"))
        #expect(reason(ours.announcement(at: .now), ours) == nil)
        // Where nothing is announced, the handshake tells.
        #expect(reason(nil, ours) == nil)
        let both = ours.replacing(with: theirs.current, keepingOldUntil: .now.addingTimeInterval(60), at: .now)
        for ring in [ours, theirs] {
            #expect(reason(both.announcement(at: .now), ring) == nil)
            #expect(reason(ring.announcement(at: .now), both) == nil)
        }
    }

    @Test("fingerprints are announced together and read back")
    func fingerprints() throws {
        let ring = KeyRing(current: try .random())
        #expect(ring.announcement(at: .now) == "\(ring.current.fingerprint)")
        let both = ring.replacing(with: try .random(), keepingOldUntil: .now.addingTimeInterval(60), at: .now)
        var facts = NodeAdvertisement(versions: nil, slots: nil, keyFingerprint: both.announcement(at: .now), id: nil)
        #expect(NodeAdvertisement(facts.record).keys == [both.current.fingerprint, ring.current.fingerprint])
        facts.keyFingerprint = "lab"
        #expect(facts.keys.isEmpty)
        var many = ring
        for _ in 0..<9 {
            many = many.replacing(with: try .random(), keepingOldUntil: .now.addingTimeInterval(60), at: .now)
        }
        facts.keyFingerprint = many.announcement(at: .now)
        #expect(NodeAdvertisement(facts.record).keys.first == many.current.fingerprint)
    }

    @Test("says why discovery is off, and that nothing can come")
    func off() async throws {
        let source = InMemoryDiscovery(address: nil)
        let error = DiscoveryError(.daemonAbsent, "discovery is off")
        source.stop(error)
        try await search(source) { membership, _, change in
            #expect(await change.first { _ in true } == .unavailable(error))
            #expect(membership.isUnavailable)
            #expect(membership.errors == [error])
            source.start()
            #expect(await change.first { _ in true } == .available)
            #expect(!membership.isUnavailable)
        }
    }

    @Test("a node of this machine counts only where this process runs no tasks itself")
    func ownMachine() throws {
        let address = try #require(HostAddress("10.0.0.1"))
        let node = DiscoveredNode(
            id: .name("a"), name: "a", addresses: [SocketAddress(host: "\(address)", port: 1)],
            advertisement: NodeAdvertisement(versions: nil, slots: nil, keyFingerprint: nil, id: nil),
            isOnThisMachine: true)
        let keys = KeyRing(current: try .random())
        func reason(_ hasLocalSystem: Bool) -> UnusableReason? {
            UnusableReason(of: node, keys: keys, at: .now, hasLocalSystem: hasLocalSystem)
        }
        #expect(reason(false) == nil)
        #expect(reason(true)?.text.contains("this machine") == true)
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
