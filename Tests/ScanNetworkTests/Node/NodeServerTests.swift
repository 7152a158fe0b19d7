import ScanBasics
import ScanCluster
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import Testing
import ScanSockets

@Suite("A node on a real socket", .timeLimit(.minutes(10)))
struct NodeServerTests {
    @Test("runs a task and answers with its output")
    func oneTask() async throws {
        let node = try TestNode()
        let system = try await system(node.address)
        let response = try await system.run(SumTask(id: 7, number: 35), attempt: 2)
        #expect(try response.get() == 35)
        #expect(response.id == 7)
        #expect(response.system == "node")
        #expect(response.attempt == 2)
        #expect(response.seconds >= 0)
        await system.close()
        node.server.stop()
    }

    @Test("listens on a free port if its port is taken, where its options allow that")
    func takenPort() throws {
        let node = try TestNode()
        func server(_ mayUseAnotherPort: Bool) throws -> NodeServer {
            var options = NodeServer.Options()
            options.mayUseAnotherPort = mayUseAnotherPort
            return NodeServer(
                name: "other", keys: KeyRing(current: try .random()), slots: 1, taskTypes: TaskTypes(SumTask.self),
                listen: node.address, options: options)
        }
        #expect(throws: SocketError.self) { try server(false).start() }
        let other = try server(true)
        let address = try other.start()
        #expect(address.description != node.address && address.host == "127.0.0.1" && address.port > 0)
        other.stop()
        node.server.stop()
    }

    @Test("answers with the error that a scan threw")
    func failingTask() async throws {
        let node = try TestNode()
        let system = try await system(node.address)
        let response = try await system.run(SumTask(id: 1, number: -3), attempt: 1)
        let failure = #expect(throws: TaskFailure.self) { try response.get() }
        #expect(failure?.description == "-3 is negative (on node, attempt 1)")
        await system.close()
        node.server.stop()
    }

    @Test("sends with a failure the log lines about that coordinator since the last one, and of no other")
    func log() async throws {
        let node = try TestNode()
        func failure(_ system: ScanSystem, attempt: Int) async throws -> TaskFailure? {
            let response = try await system.run(SumTask(id: 1, number: -3), attempt: attempt)
            return #expect(throws: TaskFailure.self) { try response.get() }
        }
        let systems = [try await system(node.address), try await system(node.address)]
        let first = try await failure(systems[0], attempt: 1)?.log ?? []
        #expect(first.count == 2 && first[0].contains(" connected from 127.0.0.1:"), "\(first)")
        #expect(first.last?.hasPrefix("test.sum/1 of ") == true)
        #expect(first.last?.contains(" failed in attempt 1, after ") == true)
        #expect(first.last?.hasSuffix(" s: -3 is negative") == true)
        await #expect(throws: ScanError.self) { try await systems[0].run(UnknownTask(id: 1), attempt: 1) }
        let second = try await failure(systems[0], attempt: 2)?.log ?? []
        #expect(second.count == 2 && second[0].hasPrefix("declined test.unknown/1 of "), "\(second)")
        #expect(second.last?.contains(" failed in attempt 2, after ") == true)
        // No line of the first coordinator's events.
        let other = try await failure(systems[1], attempt: 1)?.log ?? []
        #expect(other.count == 2 && other[0].contains(" connected from ") && other[0] != first[0], "\(other)")
        for system in systems { await system.close() }
        node.server.stop()
    }

    @Test("serves many tasks in flight, each with its own answer")
    func manyTasks() async throws {
        let node = try TestNode { $0.queueLimit = 5000 }
        let system = try await system(node.address)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let response = try await system.run(SumTask(id: number, number: number), attempt: 1)
                    #expect(response.id == number)
                    return try response.get()
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1999 * 2000 / 2)
        await system.close()
        node.server.stop()
    }

    @Test("gets bulk bytes as they were sent", arguments: [0, 1, 100, 65_536, 1 << 20, 32 << 20])
    func bulk(size: Int) async throws {
        let node = try TestNode()
        let system = try await system(node.address)
        var generator = SplitMix64(seed: UInt64(size))
        let pattern = (0..<1021).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let bytes = BulkBytes(byteCount: size) { memory in
            for start in stride(from: 0, to: size, by: 1021) {
                memory[start..<min(size, start + 1021)].copyBytes(from: pattern.prefix(size - start))
            }
        }
        let expected = bytes.withUnsafeBytes(byteSum)
        let source = BulkSource(byteCount: size) { bytes }
        let response = try await system.run(SumTask(id: 1, number: 1), attempt: 1, bulk: source)
        #expect(try response.get() == expected + 1)
        await system.close()
        node.server.stop()
    }

    @Test("refuses a task of a type it does not know")
    func unknownType() async throws {
        let node = try TestNode()
        let system = try await system(node.address)
        await #expect(
            throws: ScanError(.unknownType, "has no task type 'test.unknown/1'", system: "node")
        ) { try await system.run(UnknownTask(id: 1), attempt: 1) }
        await system.close()
        node.server.stop()
    }

    @Test("refuses tasks beyond its queue, and takes them again later")
    func queueFull() async throws {
        let node = try TestNode(slots: 1) { $0.queueLimit = 1 }
        let system = try await system(node.address)
        let gate = Gate.make()
        async let first = system.run(GateTask(id: 1, gate: gate), attempt: 1)
        async let second = system.run(GateTask(id: 2, gate: gate), attempt: 1)
        await eventually { node.server.status.queued == 1 }
        await #expect(throws: ScanError(.refused, "has a full queue of 1 tasks", system: "node")) {
            try await system.run(GateTask(id: 3, gate: gate), attempt: 1)
        }
        Gate.open(gate)
        #expect(try await first.get())
        #expect(try await second.get())
        #expect(try await system.run(GateTask(id: 3, gate: gate), attempt: 1).get())
        await system.close()
        node.server.stop()
    }

    @Test("cancels the scan of an attempt that timed out")
    func timeOut() async throws {
        let node = try TestNode(slots: 1)
        let system = try await system(node.address)
        let gate = Gate.make()
        await #expect(throws: ScanError.self) {
            try await system.run(GateTask(id: 1, gate: gate), attempt: 1, timeout: .milliseconds(20))
        }
        // The slot is free again, whether the scan had begun or not.
        #expect(try await system.run(SumTask(id: 2, number: 2), attempt: 1).get() == 2)
        await system.close()
        node.server.stop()
    }

    @Test("cancels the scan of a task whose request was cancelled")
    func cancelled() async throws {
        let node = try TestNode(slots: 1)
        let system = try await system(node.address)
        let gate = Gate.make()
        let run = Task { try await system.run(GateTask(id: 1, gate: gate), attempt: 1) }
        await Gate.entered(gate, atLeast: 1)
        run.cancel()
        await Gate.cancelled(gate, atLeast: 1)
        await #expect(throws: ScanError.self) { try await run.value }
        await system.close()
        node.server.stop()
    }

    @Test("cancels the scans of a coordinator that is gone")
    func lease() async throws {
        let node = try TestNode(slots: 1)
        let system = try await system(node.address)
        let gate = Gate.make()
        let runs = (0..<3).map { id in Task { try await system.run(GateTask(id: id, gate: gate), attempt: 1) } }
        await Gate.entered(gate, atLeast: 1)
        await eventually { node.server.status.queued == 2 }
        await system.close()
        for run in runs { await #expect(throws: ScanError.self) { try await run.value } }
        await Gate.cancelled(gate, atLeast: 1)
        #expect(await node.event(containing: "3 cancelled").contains("0 tasks done"))
        await eventually { node.server.status.running == 0 }
        node.server.stop()
    }

    @Test("loses its attempts when it stops, each with the cause")
    func stop() async throws {
        let node = try TestNode(slots: 1)
        let system = try await system(node.address)
        let gate = Gate.make()
        let runs = (0..<3).map { id in Task { try await system.run(GateTask(id: id, gate: gate), attempt: 1) } }
        await Gate.entered(gate, atLeast: 1)
        node.server.stop()
        for run in runs {
            await #expect(throws: ScanError(.systemLost, "closed the connection", system: "node")) {
                try await run.value
            }
        }
        await #expect(throws: ScanError.self) { try await system.run(SumTask(id: 1, number: 1), attempt: 1) }
        await Gate.cancelled(gate, atLeast: 1)
    }

    @Test("finishes what it has when it drains, takes nothing more, and closes")
    func drain() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let node = try TestNode(slots: 1, listen: port.address)
        let system = try await system(node.address)
        let gate = Gate.make()
        async let running = system.run(GateTask(id: 1, gate: gate), attempt: 1)
        await eventually { node.server.status.running == 1 }
        async let queued = system.run(SumTask(id: 2, number: 2), attempt: 1)
        await eventually { node.server.status.queued == 1 }
        async let drained: Void = node.server.drain()
        await #expect(throws: ScanError.self) {
            while true { _ = try await system.run(UnknownOrDraining(id: 0), attempt: 1) }
        }
        // Once the goodbye has come nothing is sent: the node would refuse this type of task.
        var last: ScanError?
        for _ in 0..<100_000 where last?.code != .draining {
            do { _ = try await system.run(UnknownTask(id: 0), attempt: 1) } catch { last = error }
        }
        #expect(last?.message == "the node is draining")
        Gate.open(gate)
        #expect(try await running.get())
        #expect(try await queued.get() == 2)
        await drained
        await #expect(throws: (any Error).self) { _ = try await ScanNetworkTests.system(node.address) }
        // An attempt that arrives there too late is no fault of the node.
        let late = await #expect(throws: ScanError.self) { try await system.run(SumTask(id: 3, number: 3), attempt: 1) }
        #expect(late?.code == .draining)
        #expect(node.server.status.connections == 0)
        await system.close()
    }

    /// Is refused as unknown or because the node drains: in both cases it never runs.
    typealias UnknownOrDraining = UnknownTask

    @Test("drains at once when it has nothing to do")
    func drainIdle() async throws {
        let node = try TestNode()
        await node.server.drain()
        await node.server.drain()
    }

    @Test("keeps bulk bytes under their key, and says when it does not")
    func bulkCache() async throws {
        let node = try TestNode { $0.bulkCacheLimit = 1000 }
        let system = try await system(node.address)
        let loads = Locked(0)
        func source(_ index: UInt64, _ size: Int) -> BulkSource {
            BulkSource(key: BulkKey(job: 1, index: index), byteCount: size) {
                loads.withLock { $0 += 1 }
                return BulkBytes(byteCount: size) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
            }
        }
        for _ in 0..<3 {
            let kept = try await system.run(SumTask(id: 1, number: 0), attempt: 1, bulk: source(1, 800))
            #expect(try kept.get() == 800)
        }
        #expect(loads.withLock { $0 } == 1)
        #expect(node.server.status.bulkBytes == 800)
        for _ in 0..<3 {
            let notKept = try await system.run(SumTask(id: 1, number: 0), attempt: 1, bulk: source(2, 300))
            #expect(try notKept.get() == 300)
        }
        #expect(loads.withLock { $0 } == 4)
        await system.close()
        await eventually { node.server.status.bulkBytes == 0 }
        node.server.stop()
    }

    @Test("refuses members that are no coordinators, in words that they can read")
    func noCoordinator() async throws {
        let node = try TestNode()
        let client = try StrangeClient(node.address)
        let member = try client.secured()
        try member.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        let reply = try member.receive()
        #expect(reply.starts(with: Array("SKYFARM".utf8)))
        #expect(String(decoding: reply, as: UTF8.self).contains("this is a skyfarm node"))
        #expect(await node.event(containing: "refused").contains("unknown protocol"))
        client.close()
        node.server.stop()
    }

    @Test("gives up on members that say nothing")
    func silent() async throws {
        let node = try TestNode { $0.timing.handshake = .seconds(3) }
        let client = try StrangeClient(node.address)
        #expect(String(decoding: try client.secured().receive(), as: UTF8.self).contains("no hello within 3 s"))
        client.close()
        node.server.stop()
    }

    @Test("closes connections that break the protocol, and both sides know why")
    func brokenProtocol() async throws {
        let node = try TestNode()
        let client = try StrangeClient(node.address)
        let member = try client.secured()
        try member.send(try ClientHandshake().greeting(CoordinatorInfo(name: "odd", frameLimit: 1 << 20)))
        try member.send([12, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        var reply: [UInt8] = []
        while case let more = try member.receive(), !more.isEmpty { reply += more }
        #expect(String(decoding: reply, as: UTF8.self).contains("frame of unknown type 77"))
        #expect(await node.event(containing: "unknown type 77").hasPrefix("odd at 127.0.0.1"))
        client.close()
        node.server.stop()
    }

    @Test("limits connections")
    func connectionLimit() async throws {
        let node = try TestNode { $0.connectionLimit = 1 }
        let system = try await system(node.address)
        await #expect(throws: ConnectError(.refused, "refused the connection: it has 1 connections, its limit")) {
            _ = try await ScanNetworkTests.system(node.address)
        }
        await system.close()
        node.server.stop()
    }

    @Test("leaves no descriptor open after many connections")
    func descriptors() async throws {
        let node = try TestNode()
        for number in 0..<100 {
            let system = try await system(node.address)
            #expect(try await system.run(SumTask(id: 1, number: number), attempt: 1).get() == number)
            await system.close()
        }
        await eventually { node.server.status.connections == 0 }
        // Other tests connect at the same time: those of this node's port are counted.
        let port = try SocketAddress(parsing: node.address).port
        await eventually { Descriptors.connected(to: port) == 0 }
        node.server.stop()
    }

    @Test("cannot listen on an address that is taken or invalid")
    func badAddress() async throws {
        let node = try TestNode()
        #expect(throws: SocketError.self) { try TestNode(listen: node.address) }
        #expect(throws: AddressError.self) { try TestNode(listen: "here") }
        #expect(throws: AddressError.self) { try TestNode(listen: "no-such-host.invalid:0") }
        node.server.stop()
    }
}
