import ScanCluster
import ScanNetwork
import Testing

@Suite("The handshake")
struct HandshakeTests {
    static let node = NodeInfo(
        identity: SystemID(high: 1, low: 2), name: "alpha", slots: 4, queueLimit: 9, software: "0.1.0",
        taskTypes: ["a/1"], frameLimit: 1 << 20)
    static let coordinator = CoordinatorInfo(name: "desk", frameLimit: 1 << 20)

    func server(_ bytes: [UInt8]) -> ServerHandshake.Outcome { server(ServerHandshake(node: Self.node), bytes) }

    func server(_ server: ServerHandshake, _ bytes: [UInt8]) -> ServerHandshake.Outcome {
        bytes.withUnsafeBytes { server.received($0) }
    }

    func client(_ bytes: [UInt8]) -> ClientHandshake.Outcome { client(ClientHandshake(), bytes) }

    func client(_ client: ClientHandshake, _ bytes: [UInt8]) -> ClientHandshake.Outcome {
        bytes.withUnsafeBytes { client.received($0) }
    }

    @Test("opens a connection, whatever follows the hellos")
    func open() throws {
        let greeting = try ClientHandshake().greeting(Self.coordinator)
        guard case .open(let info, let reply, let consumed) = server(greeting + [1, 2, 3]) else {
            Issue.record("not open")
            return
        }
        #expect(info == Self.coordinator)
        #expect(consumed == greeting.count)
        #expect(client(reply + [9]) == .open(Self.node, version: 2, consumed: reply.count))
    }

    @Test("a coordinator may say what its log calls its job; what it says is printable and short")
    func job() throws {
        for (told, heard) in [("1f0c8e2d", "1f0c8e2d"), ("a\u{1b}b", "a\u{fffd}b"), (nil, nil)] {
            let info = CoordinatorInfo(name: "desk", frameLimit: 1 << 20, job: told)
            let greeting = try ClientHandshake().greeting(info)
            let outcome = greeting.withUnsafeBytes { ServerHandshake(node: Self.node).received($0) }
            guard case .open(let peer, _, _) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(peer.job == heard)
        }
        let long = CoordinatorInfo(name: "desk", frameLimit: 1 << 20, job: String(repeating: "x", count: 1000))
        let greeting = try ClientHandshake().greeting(long)
        guard case .open(let peer, _, _) = greeting.withUnsafeBytes({ ServerHandshake(node: Self.node).received($0) })
        else {
            Issue.record("no connection")
            return
        }
        #expect(peer.job?.count == 64)
    }

    @Test("waits until a hello is complete")
    func wait() throws {
        let greeting = try ClientHandshake().greeting(Self.coordinator)
        for count in 0..<greeting.count { #expect(server(Array(greeting[..<count])) == .wait) }
        guard case .open(_, let reply, _) = server(greeting) else { return }
        for count in 0..<reply.count { #expect(client(Array(reply[..<count])) == .wait) }
    }

    @Test("agrees on the highest version that both speak")
    func versions() throws {
        let new = ClientHandshake(versions: 1...7)
        guard
            case .open(_, let reply, _) = server(
                ServerHandshake(node: Self.node, versions: 1...3), try new.greeting(Self.coordinator))
        else {
            Issue.record("not open")
            return
        }
        #expect(client(new, reply) == .open(Self.node, version: 3, consumed: reply.count))
    }

    @Test("informs a peer of another version which versions there are")
    func otherVersion() throws {
        let old = ClientHandshake(versions: 1...1)
        let outcome = server(
            ServerHandshake(node: Self.node, versions: 2...3), try old.greeting(Self.coordinator))
        guard case .refuse(let reply, let reason) = outcome else {
            Issue.record("not refused")
            return
        }
        #expect(reason == "it speaks protocol 1, this node 2 to 3")
        guard case .failed(let error) = client(old, reply) else {
            Issue.record("not failed")
            return
        }
        #expect(error.code == .incompatible)
        #expect(error.message == "speaks protocol 2 to 3, this program 1; use the same version of skyfarm on both")
    }

    @Test("a node that does not say that it forgets bulk bytes gets no flag for their last use")
    func lastUse() throws {
        var attempt = AttemptRequest(task: SumTask(id: 1, number: 1), number: 1, bulkKey: BulkKey(job: 1, index: 1))
        attempt.isLastUse = true
        var node = Self.node
        #expect(!node.takesLastUse(of: attempt))
        node.forgetsBulk = true
        let told = try WireDecoder().decode(NodeInfo.self, from: try WireEncoder().encode(node))
        #expect(told.takesLastUse(of: attempt))
        attempt.isLastUse = false
        #expect(!told.takesLastUse(of: attempt))
    }

    @Test("passes on why a node takes no connection", arguments: [Hello.Refusal.tooManyConnections, .draining])
    func obstacle(refusal: Hello.Refusal) throws {
        let server = ServerHandshake(node: Self.node, obstacle: (refusal, "no room"))
        guard case .refuse(let reply, _) = self.server(server, try ClientHandshake().greeting(Self.coordinator)) else {
            Issue.record("not refused")
            return
        }
        #expect(client(reply) == .failed(ConnectError(.refused, "refused the connection: no room")))
    }

    static let banners: [(String, says: String)] = [
        ("HTTP/1.1 400 Bad Request\r\n", says: "answers HTTP"), ("<!DOCTYPE HTML>", says: "answers HTTP"),
        ("<html>", says: "answers HTTP"), ("SSH-2.0-OpenSSH_9.2\r\n", says: "answers SSH"),
        ("220 mail ESMTP", says: "answers FTP or SMTP"), ("* OK IMAP4", says: "answers IMAP"),
        ("+OK POP3", says: "answers POP3"), ("\u{15}\u{03}\u{01}", says: "answers TLS"),
        ("hello", says: "answers in an unknown protocol"), ("SKYFARN", says: "answers in an unknown protocol"),
    ]

    @Test("recognises other programs", arguments: banners)
    func foreign(banner: String, says: String) {
        let expected = ConnectError(.notANode, "is not a skyfarm node: it \(says)")
        #expect(client(Array(banner.utf8)) == .failed(expected))
        guard case .refuse = server(Array(banner.utf8)) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("says so when a peer closes or is silent")
    func silence() {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(ClientHandshake().ended(empty).code == .notANode)
        #expect(Array("SSH-".utf8).withUnsafeBytes { ClientHandshake().ended($0).message }.contains("SSH"))
        let silent = ClientHandshake().timedOut(after: .seconds(3))
        #expect(silent == ConnectError(.notANode, "did not answer the hello within 3 s; is it a skyfarm node?"))
        guard
            case .refuse(_, "no hello within 100 ms") = ServerHandshake(node: Self.node)
                .timedOut(after: .milliseconds(100))
        else {
            Issue.record("not refused")
            return
        }
    }

    static let malformed: [Hello] = [
        Hello(.greeting, versions: Hello.versions, body: [1, 2, 3]),
        Hello(.welcome, versions: Hello.versions, body: []),
        Hello(.refusal, versions: Hello.versions, body: []), Hello(.greeting, versions: Hello.versions, body: []),
    ]

    @Test("refuses malformed hellos of coordinators", arguments: malformed)
    func malformedGreeting(hello: Hello) {
        guard case .refuse = server(hello.encoded) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("refuses malformed hellos of nodes")
    func malformedWelcome() throws {
        for hello in [
            Hello(.greeting, versions: Hello.versions, body: []), Hello(.welcome, versions: Hello.versions, body: [1]),
        ] {
            guard case .failed = client(hello.encoded) else {
                Issue.record("accepted \(hello)")
                return
            }
        }
        var impossible = Self.node
        impossible.slots = 0
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(impossible))
        guard case .failed(let error) = client(welcome.encoded) else {
            Issue.record("accepted no slots")
            return
        }
        #expect(error.code == .incompatible)
        guard
            case .refuse = server(
                Hello(
                    .greeting, versions: 1...1,
                    body: try WireEncoder().encode(CoordinatorInfo(name: "x", frameLimit: 1))
                ).encoded)
        else {
            Issue.record("accepted a tiny frame limit")
            return
        }
    }

    @Test("takes no limit of a peer for larger than can be counted with")
    func limits() throws {
        var node = Self.node
        node.queueLimit = .max
        node.frameLimit = .max
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(node)).encoded
        guard case .open(let info, _, _) = client(welcome) else {
            Issue.record("not open")
            return
        }
        #expect(info.queueLimit == 1 << 20)
        #expect(info.frameLimit == Int(UInt32.max))
        let greeting = try ClientHandshake().greeting(CoordinatorInfo(name: "desk", frameLimit: .max))
        guard case .open(let coordinator, _, _) = server(greeting) else {
            Issue.record("not open")
            return
        }
        #expect(coordinator.frameLimit == Int(UInt32.max))
    }

    @Test("lets no name or message of a peer steer a terminal")
    func names() throws {
        var node = Self.node
        node.name = "\u{1b}[2Jal\npha"
        node.software = "0\r"
        node.taskTypes = ["a\u{7}/1"]
        node.arithmetic = Arithmetic(fingerprint: "\u{1b}f", libraries: String(repeating: "\n", count: 1000))
        let welcome = Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(node)).encoded
        guard case .open(let info, _, _) = client(welcome) else {
            Issue.record("not open")
            return
        }
        #expect(info.name == "\u{fffd}[2Jal\u{fffd}pha")
        #expect(info.software == "0\u{fffd}")
        #expect(info.taskTypes == ["a\u{fffd}/1"])
        #expect(info.arithmetic?.fingerprint == "\u{fffd}f")
        #expect(info.arithmetic?.libraries == String(repeating: "\u{fffd}", count: 96))
        let greeting = try ClientHandshake().greeting(CoordinatorInfo(name: "de\u{1b}sk", frameLimit: 1 << 20))
        guard case .open(let coordinator, _, _) = server(greeting) else {
            Issue.record("not open")
            return
        }
        #expect(coordinator.name == "de\u{fffd}sk")
        let refusal = Hello(.refusal, versions: Hello.versions, refusal: .draining, body: Array("a\nb".utf8)).encoded
        #expect(client(refusal) == .failed(ConnectError(.refused, "refused the connection: a\u{fffd}b")))
    }

    static let impossible: [(at: Int, UInt8)] = [(at: 12, 9), (at: 16, 0), (at: 16, 4), (at: 23, 1)]

    @Test("refuses impossible fields of the fixed part", arguments: impossible)
    func impossibleFields(at: Int, byte: UInt8) throws {
        var greeting = try ClientHandshake().greeting(Self.coordinator)
        greeting[at] = byte
        guard case .refuse = server(greeting) else {
            Issue.record("not refused")
            return
        }
    }
}
