import Foundation
import ScanBasics
import ScanCluster
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import Testing

/// Peers that do not hold the key, whatever they do.
@Suite("A node and unauthenticated peers", .timeLimit(.minutes(10)))
struct UnauthenticatedPeerTests {
    @Test("with another key are refused, and both sides say why")
    func otherKey() async throws {
        let (node, strange) = (try TestNode(), newKeys())
        let (systems, nodes, states) = await connect(node.address, keys: strange)
        guard case .failed(let error) = states[0].status else {
            Issue.record("\(states[0].status)")
            return
        }
        #expect(error.code == .authentication)
        #expect(error.message.contains("another cluster key") && error.message.contains("skyfarm key import"))
        #expect(systems.snapshot.isEmpty && states[0].key == nil)
        let line = await node.event(containing: "refused")
        #expect(line.contains("\(strange.current.fingerprint), ours is \(testKeys.current.fingerprint)"))
        #expect(!line.contains(strange.current.exportText().suffix(64)))
        nodes.close()
        node.server.stop()
    }

    static let noMembers: [(String, bytes: [UInt8], says: String)] = [
        ("HTTP", Array("GET / HTTP/1.1\r\n\r\n".utf8), "speaks HTTP"),
        ("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), "speaks SSH"),
        ("a hello in the clear", Array("SKYFARM\r\n\r\n\0".utf8) + [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0], "TLS"),
        (
            "TLS 1.2",
            [22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0, 47, 1, 0],
            "TLS 1.3"
        ),
        ("nothing", [], "closed the connection in the TLS handshake"),
    ]

    @Test("that are other programs are refused before a hello is read", arguments: noMembers)
    func otherPrograms(name: String, bytes: [UInt8], says: String) async throws {
        let node = try TestNode()
        let client = try StrangeClient(node.address)
        client.send(bytes)
        client.endSending()
        let reply = client.receiveAll()
        #expect(!String(decoding: reply, as: UTF8.self).contains("SKYFARM"), "no word in the clear")
        #expect(await node.event(containing: "refused").contains(says))
        #expect(node.server.status.connections == 0)
        client.close()
        node.server.stop()
    }

    @Test(
        "that speak TLS 1.3 without the key are refused",
        .enabled(if: access("/usr/bin/openssl", X_OK) == 0, "needs the openssl command"), arguments: [false, true])
    func openSSL(hasKey: Bool) async throws {
        let node = try TestNode()
        let psk = hasKey ? ["-psk", String(repeating: "ab", count: 32), "-psk_identity", "skyfarm-1-0123456789"] : []
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        client.arguments = ["s_client", "-connect", node.address, "-tls1_3", "-quiet"] + psk
        client.standardInput = FileHandle.nullDevice
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try client.run()
        let says = hasKey ? "another cluster key (fingerprint 0123456789" : "offers no cluster key"
        #expect(await node.event(containing: "refused").contains(says))
        client.waitUntilExit()
        #expect(client.terminationStatus != 0)
        node.server.stop()
    }

    @Test("that send random bytes are refused, and members served")
    func randomBytes() async throws {
        let node = try TestNode { $0.timing.handshake = .milliseconds(500) }
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(seed: seed)
        // The beginning of a handshake makes the random rest reach further.
        let hello = try TLSSession(client: testKeys.current).outputBytes
        for round in 0..<200 {
            let client = try StrangeClient(node.address)
            let start = round.isMultiple(of: 2) ? hello.prefix(Int.random(in: 0...hello.count, using: &generator)) : []
            let rest = (0..<Int.random(in: 0...3000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            client.send(start + rest)
            client.close()
        }
        let system = try await system(node.address)
        let response = try await system.run(SumTask(id: 1, number: 42), attempt: 1)
        #expect(try response.get() == 42, "seed \(seed)")
        await system.close()
        await eventually { node.server.status.connections == 0 }
        node.server.stop()
    }

    /// The bytes that each of a crowd sends.
    enum Manner: CaseIterable { case nothing, someBytes, repeatedHello }

    @Test("that crowd the node neither stay nor keep a member out", arguments: Manner.allCases)
    func crowd(manner: Manner) async throws {
        let node = try TestNode {
            $0.unauthenticated = UnauthenticatedLimits(connections: 16, connectionsPerAddress: 8)
            $0.timing.handshake = .seconds(30)
        }
        let hello = try TLSSession(client: testKeys.current).outputBytes
        var crowd: [StrangeClient] = []
        func come(_ count: Int) throws {
            for _ in 0..<count {
                let client = try StrangeClient(node.address)
                switch manner {
                case .nothing: break
                case .someBytes: client.send(Array(hello.prefix(crowd.count % hello.count)))
                case .repeatedHello: client.send(hello)
                }
                crowd.append(client)
            }
        }
        try come(100)
        // How long that takes depends on what else runs; the scenario scan-crowd of the lab measures it.
        let system = try await system(node.address)
        try come(100)
        #expect(try await system.run(SumTask(id: 1, number: 1), attempt: 1).get() == 1)
        // Of the crowd as many are left as may be, and the member.
        let port = try SocketAddress(parsing: node.address).port
        await eventually { Descriptors.accepted(at: port) == 8 + 1 }
        await system.close()
        for client in crowd { client.close() }
        node.server.stop()
    }

    @Test("that take too long for their handshake are disconnected")
    func slowHandshake() async throws {
        let node = try TestNode { $0.timing.handshake = .milliseconds(100) }
        let client = try StrangeClient(node.address)
        client.send(Array(try TLSSession(client: testKeys.current).outputBytes.prefix(100)))
        #expect(client.receiveAll().isEmpty)
        #expect(await node.event(containing: "refused").contains("did not finish the TLS handshake within 100 ms"))
        client.close()
        node.server.stop()
    }

    @Test("that come again and again have one line in a minute")
    func oneLine() async throws {
        let node = try TestNode()
        for _ in 0..<20 {
            let client = try StrangeClient(node.address)
            client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            _ = client.receiveAll()
            client.close()
        }
        // A member's events come after theirs.
        let system = try await system(node.address)
        _ = await node.event(containing: "connected from")
        #expect(node.events.withLock { $0.count { "\($0)".hasPrefix("refused") } } == 1)
        await system.close()
        node.server.stop()
    }

    @Test("the line counts those that were left out before")
    func line() {
        let event = NodeServer.Event.refused(peer: "10.0.0.1:5", reason: "speaks HTTP", unlogged: 19)
        #expect("\(event)" == "refused 10.0.0.1:5: speaks HTTP; 19 others from this address were not logged")
        #expect("\(NodeServer.Event.refused(peer: "a", reason: "b", unlogged: 0))" == "refused a: b")
    }
}

extension TLSSession {
    /// The bytes that wait to be sent.
    var outputBytes: [UInt8] {
        var bytes: [UInt8] = []
        withOutput {
            bytes = Array($0)
            return $0.count
        }
        return bytes
    }
}
