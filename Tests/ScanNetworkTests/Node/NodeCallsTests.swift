import ScanCluster
import ScanNetwork
import Testing

@Suite("Calls to a node", .timeLimit(.minutes(10)))
struct NodeCallsTests {
    /// A node that replies with the bytes of the call in reverse order.
    private func node() throws -> TestNode {
        try TestNode(slots: 1) { $0.onCall = { body, _ in body.reversed() } }
    }

    private func calls(to node: TestNode) async throws -> NodeCalls {
        try await NodeCalls.connect(to: [SocketAddress(parsing: node.address)], keys: testKeys)
    }

    @Test("are answered, many at a time, also while the node is paused, and count as no coordinator")
    func answered() async throws {
        let node = try node()
        node.server.pause("a test")
        let calls = try await calls(to: node)
        #expect(calls.node.name == "node" && calls.node.answersCalls == true)
        let replies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<UInt8(NodeSession.State<TestWork>.callLimit) {
                group.addTask { try await calls.call([number, 1]) }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(replies == Set((0..<UInt8(NodeSession.State<TestWork>.callLimit)).map { [1, $0] }))
        let long = [UInt8](repeating: 3, count: 5 << 20) + [4]
        #expect(try await calls.call(long) == long.reversed())
        #expect(node.server.status.connections == 0)
        await #expect(throws: ConnectError.self) { try await calls.call([UInt8](repeating: 0, count: (16 << 20) + 1)) }
        calls.close()
        await #expect(throws: ConnectError.self) { try await calls.call([1]) }
        node.server.stop()
    }

    @Test("need the key, and a node that answers them; open ones end with the connection")
    func refused() async throws {
        let node = try TestNode(slots: 1) { options in
            options.onCall = { _, _ in
                try? await Task.sleep(for: .seconds(600))
                return []
            }
        }
        let error = await #expect(throws: ConnectError.self) {
            try await NodeCalls.connect(to: [SocketAddress(parsing: node.address)], keys: newKeys())
        }
        #expect(error?.code == .authentication)
        let calls = try await calls(to: node)
        let open = Task { try await calls.call([1]) }
        node.server.stop()
        await #expect(throws: ConnectError.self) { try await open.value }
        let deaf = try TestNode()
        let other = await #expect(throws: ConnectError.self) { try await self.calls(to: deaf) }
        #expect(other?.code == .incompatible && other?.message.contains("answers no calls") == true)
        deaf.server.stop()
    }

    @Test("are taken on connections for calls alone, once each, and no more than a limit")
    func state() throws {
        var tasks = NodeSession.State<TestWork>(1)
        _ = tasks.opened(by: CoordinatorInfo(name: "desk", frameLimit: 1 << 20), at: "a:1")
        #expect(throws: ProtocolError.self) { try tasks.called(1) }
        var session = NodeSession.State<TestWork>(1)
        session.openedForCalls(by: CoordinatorInfo(name: "desk", frameLimit: 1 << 20), at: "a:1")
        let caller = try session.called(1)
        #expect(caller.name == "desk" && caller.address == "a:1" && !session.isOpen)
        #expect(throws: ProtocolError.self) { try session.called(1) }
        for number in 2...UInt64(NodeSession.State<TestWork>.callLimit) { _ = try session.called(number) }
        #expect(throws: ProtocolError.self) { try session.called(99) }
        let isOpen = session.replied(1)
        _ = try session.called(1)
        var resources = NodeResources(
            admission: .init(slots: 1, queueLimit: 1, bulkLimit: 1), cache: .init(limit: 0),
            readsReferences: false)
        _ = session.connectionEnded("closed", on: &resources)
        let isStillOpen = session.replied(1)
        #expect(isOpen && !isStillOpen)
    }
}

/// Never made: these sessions run no tasks.
private final class TestWork: SessionTask {
    let (request, typeName): (UInt64, String) = (0, "")
    let identity = TaskFrame.Identity(task: 0, attempt: 0)
    let grant: TaskGrant
    let seconds = 0.0
    let result: CodedResult? = nil
    let readBulk: BulkBytes? = nil

    init(_ grant: TaskGrant) { self.grant = grant }
}
