import ScanCluster
import ScanNetwork
import Testing

@Suite("Discovered nodes", .timeLimit(.minutes(10)))
struct DialTests {
    /// A coordinator, and the outcomes of its connection attempts.
    final class Coordinator: Sendable {
        let systems = Systems(clock: EventLoop.shared)
        let nodes: RemoteNodes
        let outcomes = Locked<[RemoteNodes.DialOutcome]>([])

        init(named addresses: [String] = [], selection: NodeSelection = NodeSelection()) {
            var options = RemoteNodes.Options()
            options.selection = selection
            options.timing = testTiming
            nodes = RemoteNodes(addresses, keys: testKeys, systems: systems, options: options)
            nodes.start()
        }

        func dial(
            _ key: String, _ addresses: [String], identity: SystemID? = nil, name: String = "found"
        ) throws {
            let addresses = try addresses.map { try SocketAddress(parsing: $0) }
            nodes.dial(.init(key: key, name: name, identity: identity, addresses: addresses)) { outcome in
                self.outcomes.withLock { $0.append(outcome) }
            }
        }

        func heard(_ count: Int) async -> [RemoteNodes.DialOutcome] {
            await eventually { self.outcomes.withLock { $0.count } >= count }
            return outcomes.withLock { $0 }
        }
    }

    @Test("release their observer when they are closed, though it holds them")
    func observer() async throws {
        final class Observer: Sendable {
            let coordinator = Coordinator()
            let isGone: Locked<Bool>

            init(_ isGone: Locked<Bool>) { self.isGone = isGone }

            deinit { isGone.withLock { $0 = true } }
        }
        let isGone = Locked(false)
        do {
            let observer = Observer(isGone)
            let dead = try ClosedPort()
            defer { dead.release() }
            let address = try SocketAddress(parsing: dead.address)
            observer.coordinator.nodes.dial(.init(key: "a", name: "found", addresses: [address])) { outcome in
                observer.coordinator.outcomes.withLock { $0.append(outcome) }
            }
            #expect(await observer.coordinator.heard(1).count == 1)
            observer.coordinator.nodes.close()
        }
        await eventually { isGone.withLock { $0 } }
        #expect(isGone.withLock { $0 })
    }

    @Test("join by the first address that works, and report which it was")
    func join() async throws {
        let (node, dead) = (try TestNode(slots: 3), try ClosedPort())
        defer { dead.release() }
        let coordinator = Coordinator()
        try coordinator.dial("a", [dead.address, node.address])
        #expect(await coordinator.heard(1) == [.connected])
        #expect(coordinator.systems.snapshot.map(\.slots) == [3])
        let states = await coordinator.nodes.states
        #expect(states.map(\.address) == [node.address])
        #expect(states.map(\.announcedName) == ["found"])
        #expect(states[0].node?.busy == 0)
        coordinator.nodes.close()
        node.server.stop()
    }

    @Test("whose names begin like an excluded node's are used, since discovery has judged them, until they are dropped")
    func excludedBeginning() async throws {
        let node = try TestNode()
        let coordinator = Coordinator(selection: NodeSelection(excluded: ["no"]))
        try coordinator.dial("a", [node.address], name: "node")
        #expect(await coordinator.heard(1) == [.connected])
        #expect(coordinator.systems.snapshot.map(\.name) == ["node"])
        coordinator.nodes.drop("a")
        await eventually { coordinator.systems.snapshot.isEmpty && node.server.status.connections == 0 }
        #expect(coordinator.systems.snapshot.isEmpty && node.server.status.connections == 0)
        #expect(await coordinator.nodes.states.isEmpty)
        coordinator.nodes.close()
        node.server.stop()
    }

    @Test("that are connected are not dialled again")
    func again() async throws {
        let node = try TestNode()
        let coordinator = Coordinator()
        try coordinator.dial("a", [node.address])
        _ = await coordinator.heard(1)
        let dead = try ClosedPort()
        defer { dead.release() }
        try coordinator.dial("a", [dead.address])
        #expect(await coordinator.heard(2) == [.connected, .connected])
        #expect(node.server.status.connections == 1)
        coordinator.nodes.close()
        node.server.stop()
    }

    @Test("that do not answer are dialled once, until they are discovered again")
    func once() async throws {
        let dead = try ClosedPort()
        defer { dead.release() }
        let coordinator = Coordinator()
        try coordinator.dial("a", [dead.address])
        guard case .failed(let error)? = await coordinator.heard(1).first else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .unreachable)
        let node = try TestNode(listen: dead.address)
        #expect(await coordinator.nodes.states.map(\.node) == [nil])
        try coordinator.dial("a", [dead.address])
        #expect(await coordinator.heard(2).last == .connected)
        coordinator.nodes.close()
        node.server.stop()
    }

    @Test("that have names for addresses cannot be reached")
    func names() async throws {
        let coordinator = Coordinator()
        try coordinator.dial("a", ["localhost:1"])
        #expect(
            await coordinator.heard(1) == [.failed(ConnectError(.unreachable, "has no address", system: "localhost:1"))]
        )
        coordinator.nodes.close()
    }

    @Test("that leave are reported to have ended, and are not dialled again automatically")
    func leaving() async throws {
        let node = try TestNode()
        let coordinator = Coordinator()
        try coordinator.dial("a", [node.address])
        _ = await coordinator.heard(1)
        node.server.stop()
        #expect(await coordinator.heard(2) == [.connected, .ended])
        #expect(coordinator.systems.snapshot.isEmpty)
        coordinator.nodes.close()
    }

    @Test("that are connected under another address count once", arguments: [true, false])
    func duplicate(claims: Bool) async throws {
        let node = try TestNode()
        let coordinator = Coordinator(named: [node.address])
        _ = await coordinator.nodes.settled()
        try coordinator.dial("a", [node.address], identity: claims ? node.server.identity : nil)
        #expect(await coordinator.heard(1) == [.connected])
        #expect(coordinator.systems.snapshot.count == 1)
        #expect(await coordinator.nodes.states.last?.status == .duplicate(of: node.address))
        node.server.stop()
        #expect(await coordinator.heard(2) == [.connected, .ended])
        coordinator.nodes.close()
    }

    @Test("that are lost are removed, a connected one when its connection ends")
    func forget() async throws {
        let node = try TestNode()
        let coordinator = Coordinator()
        let dead = try ClosedPort()
        defer { dead.release() }
        try coordinator.dial("a", [node.address])
        try coordinator.dial("b", [dead.address])
        _ = await coordinator.heard(2)
        coordinator.nodes.forget("a")
        coordinator.nodes.forget("b")
        #expect(await coordinator.nodes.states.map(\.status) == [.joined])
        node.server.stop()
        await eventually { await coordinator.nodes.states.isEmpty }
        coordinator.nodes.close()
    }

    @Test("are not dialled after the coordinator has closed")
    func closed() async throws {
        let node = try TestNode()
        let coordinator = Coordinator()
        coordinator.nodes.close()
        try coordinator.dial("a", [node.address])
        #expect(await coordinator.nodes.states.isEmpty)
        node.server.stop()
    }
}
