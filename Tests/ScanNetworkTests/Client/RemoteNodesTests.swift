import ScanCluster
import ScanNetwork
import Testing

@Suite("Remote nodes", .timeLimit(.minutes(10)))
struct RemoteNodesTests {
    @Test("join the systems with their own descriptions")
    func join() async throws {
        let node = try TestNode(slots: 3)
        let (systems, nodes, states) = await connect(node.address)
        #expect(states.map(\.status) == [.joined])
        #expect(states[0].node?.name == "node")
        #expect(states[0].node?.taskTypes == allTypes.names)
        #expect(systems.snapshot.map(\.name) == ["node"])
        #expect(systems.snapshot.map(\.slots) == [3])
        nodes.close()
        await eventually { systems.snapshot.isEmpty }
        _ = await node.event(containing: "done")
        node.server.stop()
    }

    @Test(
        "are given as many tasks as they admit, if these are tiny and no limit is set",
        arguments: [(nil, 1028), (10, 10), (5000, 1028)] as [(Int?, Int)])
    func depth(limit: Int?, depth: Int) {
        let info = NodeInfo(
            identity: SystemID(high: 1, low: 1), name: "a", slots: 4, queueLimit: 1024, taskTypes: [],
            frameLimit: 1 << 20)
        #expect(info.depth(limit: limit) == depth)
    }

    @Test("measure their round trip")
    func roundTrip() async throws {
        let node = try TestNode()
        let (_, nodes, _) = await connect(node.address)
        await eventually { await nodes.states[0].roundTrip != nil }
        nodes.close()
        node.server.stop()
    }

    @Test("listen on IPv6 as well")
    func version6() async throws {
        let node = try TestNode(listen: "[::1]:0")
        let (_, nodes, states) = await connect(node.address)
        #expect(states.map(\.status) == [.joined])
        nodes.close()
        node.server.stop()
    }

    @Test("with two addresses are one node")
    func duplicate() async throws {
        let node = try TestNode()
        let other = node.address.replacing("127.0.0.1", with: "localhost")
        let (systems, nodes, states) = await connect(node.address, other)
        #expect(systems.snapshot.count == 1)
        let first = states.firstIndex { $0.status == .joined } ?? 0
        #expect(states[1 - first].status == .duplicate(of: states[first].address))
        nodes.close()
        node.server.stop()
    }

    @Test("of one name are told apart by their addresses")
    func sameName() async throws {
        let both = [try TestNode(), try TestNode()]
        let (systems, nodes, states) = await connect(both[0].address, both[1].address)
        #expect(states.map(\.node?.name) == ["node", "node"])
        let names = systems.snapshot.map(\.name)
        #expect(names.count == 2)
        #expect(names.first == "node")
        #expect(both.contains { names.last == "node (\($0.address))" })
        nodes.close()
        for node in both { node.server.stop() }
    }

    @Test("that refuse the connection are reported as unreachable")
    func refused() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let (_, nodes, states) = await connect(port.address)
        let expected = ConnectError(
            .unreachable, "cannot be reached: connection refused; is 'skyfarm node' running there?",
            system: port.address)
        #expect(states.map(\.status) == [.failed(expected)])
        nodes.close()
    }

    @Test(
        "that have no proper address are reported as unreachable",
        arguments: ["no port", "host:99999", "no-such-host.invalid:1"])
    func badAddress(address: String) async {
        let (_, nodes, states) = await connect(address)
        guard case .failed(let error) = states[0].status else {
            Issue.record("\(states[0].status)")
            return
        }
        #expect(error.code == .unreachable)
        nodes.close()
    }

    @Test(
        "that are other programs are named",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP", true),
            ("SSH-2.0-OpenSSH_9.2\r\n", "SSH", false),
        ])
    func otherProgram(banner: String, name: String, waits: Bool) async throws {
        let server = try StrangeServer(answer: Array(banner.utf8), waits: waits)
        let (_, nodes, states) = await connect(server.address)
        let expected = ConnectError(.notANode, "speaks \(name): it is not Skyfarm", system: server.address)
        #expect(states.map(\.status) == [.failed(expected)])
        nodes.close()
        server.stop()
    }

    @Test("that say nothing are given up")
    func silent() async throws {
        let server = try StrangeServer(answer: [])
        let (_, nodes, states) = await connect(server.address, timing: shortTiming)
        let expected = ConnectError(
            .notANode, "did not finish the TLS handshake within 100 ms: it is busy, or no Skyfarm",
            system: server.address)
        #expect(states.map(\.status) == [.failed(expected)])
        nodes.close()
        server.stop()
    }

    @Test("that hold the key and say nothing are given up")
    func silentMember() async throws {
        let server = try StrangeServer(answer: [], keys: testKeys)
        var timing = shortTiming
        timing.handshake = .seconds(3)
        let (_, nodes, states) = await connect(server.address, timing: timing)
        let expected = ConnectError(
            .notANode, "did not answer the hello within 3 s; is it a skyfarm node?", system: server.address)
        #expect(states.map(\.status) == [.failed(expected)])
        nodes.close()
        server.stop()
    }

    @Test("that close at once are given up", arguments: [true, false])
    func closes(holdsKey: Bool) async throws {
        let server = try StrangeServer(answer: [], keys: holdsKey ? testKeys : nil, waits: true, closes: true)
        let (_, nodes, states) = await connect(server.address)
        guard case .failed(let error) = states[0].status else {
            Issue.record("\(states[0].status)")
            return
        }
        #expect(error.code == .notANode)
        nodes.close()
        server.stop()
    }

    @Test("of another version are reported as incompatible")
    func otherVersion() async throws {
        let refusal = Hello(.refusal, versions: 8...9, refusal: .otherVersion, body: Array("too old".utf8))
        let server = try StrangeServer(answer: refusal.encoded, keys: testKeys, waits: true)
        let (_, nodes, states) = await connect(server.address)
        guard case .failed(let error) = states[0].status else {
            Issue.record("\(states[0].status)")
            return
        }
        #expect(error.code == .incompatible)
        #expect(error.message.contains("8 to 9"))
        #expect(server.bytes.starts(with: Array("SKYFARM".utf8)))
        nodes.close()
        server.stop()
    }

    @Test("that break the protocol are disconnected, and dialled again")
    func garbage() async throws {
        let info = NodeInfo(
            identity: SystemID(high: 5, low: 5), name: "bad", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(info)).encoded
        let server = try StrangeServer(
            answer: welcome + [8, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0], keys: testKeys, waits: true)
        let (systems, nodes, _) = await connect(server.address)
        await eventually {
            if case .failed(let error) = await nodes.states[0].status { return error.message.contains("type 99") }
            return false
        }
        nodes.close()
        await eventually { systems.snapshot.isEmpty }
        server.stop()
    }

    @Test("that fall silent are considered dead")
    func fallsSilent() async throws {
        let info = NodeInfo(
            identity: SystemID(high: 6, low: 6), name: "dumb", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(info)).encoded
        let server = try StrangeServer(answer: welcome, keys: testKeys, waits: true)
        let (_, nodes, _) = await connect(server.address, timing: shortTiming)
        await eventually {
            if case .failed(let error) = await nodes.states[0].status { return error.message.contains("silent") }
            return false
        }
        nodes.close()
        server.stop()
    }

    @Test("that come back are connected again")
    func reconnect() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let first = try TestNode(listen: port.address)
        let (systems, nodes, _) = await connect(port.address)
        first.server.stop()
        await eventually { systems.snapshot.isEmpty }
        let second = try TestNode(listen: port.address)
        await eventually { systems.snapshot.map(\.id) == [second.server.identity] }
        nodes.close()
        second.server.stop()
    }

    @Test("take over from a duplicate that is lost")
    func takeOver() async throws {
        let identity = SystemID(high: 9, low: 9)
        let ports = [try ClosedPort(), try ClosedPort()]
        defer { for port in ports { port.release() } }
        let first = try TestNode(listen: ports[0].address, identity: identity)
        let second = try TestNode(listen: ports[1].address, identity: identity)
        let (systems, nodes, _) = await connect(first.address, second.address)
        let joined = await nodes.states.firstIndex { $0.status == .joined } ?? 0
        (joined == 0 ? first : second).server.stop()
        await eventually { await nodes.states[1 - joined].status == .joined }
        #expect(systems.snapshot.count == 1)
        nodes.close()
        first.server.stop()
        second.server.stop()
    }
}
