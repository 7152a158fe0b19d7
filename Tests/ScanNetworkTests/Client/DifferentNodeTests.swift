import ScanCluster
import ScanNetwork
import Testing

@Suite("Nodes that compute differently", .timeLimit(.minutes(10)))
struct DifferentNodeTests {
    static let own = Arithmetic(fingerprint: "aaaa", libraries: "CFITSIO 4.2, kernel 1a2b, reader 3c4d")
    static let other = Arithmetic(fingerprint: "bbbb", libraries: "CFITSIO 4.2, kernel 3d4c, reader 5e6f")

    @Test("are refused, shown with their names, and told why", arguments: [other, nil])
    func refused(arithmetic: Arithmetic?) async throws {
        let node = try TestNode(arithmetic: arithmetic)
        let (systems, nodes, states) = await connect(node.address, arithmetic: Self.own)
        guard case .failed(let error) = states[0].status else {
            Issue.record("\(states[0].status)")
            return
        }
        #expect(error.code == .differentArithmetic && error.system == node.address)
        #expect(states[0].node?.name == "node" && states[0].node?.arithmetic == arithmetic)
        #expect(systems.snapshot.isEmpty && nodes.differentNodes.isEmpty)
        let line = await node.event(containing: "tasks done")
        #expect(line.contains("(this node \(error.message))"), "\(line)")
        nodes.close()
        node.server.stop()
    }

    @Test("are used and listed if that is allowed")
    func allowed() async throws {
        let nodes = [try TestNode(arithmetic: Self.other), try TestNode(arithmetic: Self.own)]
        let (systems, connections, states) = await connect(
            nodes[0].address, nodes[1].address, arithmetic: Self.own, allowsDifferentNodes: true)
        #expect(states.map(\.status) == [.joined, .joined])
        let names = Dictionary(uniqueKeysWithValues: systems.snapshot.map { ($0.id, $0.name) })
        let different = try #require(names[nodes[0].server.identity])
        #expect(Array(connections.differentNodes.keys) == [different])
        #expect(connections.differentNodes[different]?.arithmetic == Self.other)
        connections.close()
        for node in nodes { node.server.stop() }
    }

    @Test("are not told apart by a coordinator that does not say how it computes")
    func unknown() async throws {
        let node = try TestNode(arithmetic: Self.other)
        let (_, nodes, states) = await connect(node.address)
        #expect(states.map(\.status) == [.joined] && nodes.differentNodes.isEmpty)
        nodes.close()
        node.server.stop()
    }

    @Test("are refused in words that name both sides and the remedy")
    func words() throws {
        var node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "alpha", slots: 1, queueLimit: 1, software: "0.2.0",
            taskTypes: [], frameLimit: 1 << 20)
        node.arithmetic = Self.own
        #expect(node.difference(from: Self.own, software: "0.1.0") == nil)
        node.arithmetic = Self.other
        #expect(
            node.difference(from: Self.own, software: "0.1.0")?.message
                == "computes differently (kernel, reader): its arithmetic is bbbb (skyfarm 0.2.0, CFITSIO 4.2, kernel 3d4c, "
                + "reader 5e6f), the coordinator's aaaa (skyfarm 0.1.0, CFITSIO 4.2, kernel 1a2b, reader 3c4d): install the "
                + "same skyfarm and libraries on both, or use the node with --allow-different-nodes")
        // Nothing that is named differs.
        node.arithmetic?.libraries = Self.own.libraries
        #expect(
            node.difference(from: Self.own, software: "0.2.0")?.message.hasPrefix(
                "computes differently: its arithmetic is bbbb") == true)
        node.arithmetic = nil
        #expect(
            node.difference(from: Self.own, software: "0.1.0")?.message.hasPrefix("does not report its arithmetic")
                == true)
    }
}
