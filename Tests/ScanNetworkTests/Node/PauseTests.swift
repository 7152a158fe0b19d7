import ScanCluster
import ScanNetwork
import Testing

@Suite("A node that is paused", .timeLimit(.minutes(10)))
struct PauseTests {
    private func node(grace: Duration = .seconds(20)) throws -> TestNode {
        try TestNode(slots: 1) { options in
            options.pauseGrace = grace
            options.onOrder = { order, _ in order == .pause ? "as ordered" : nil }
        }
    }

    @Test("gives waiting tasks back at once, lets the running one end, and closes the connection")
    func waiting() async throws {
        let node = try node()
        let system = try await system(node.address)
        let gate = Gate.make()
        async let first = system.run(GateTask(id: 1, gate: gate), attempt: 1)
        await Gate.entered(gate, atLeast: 1)
        let others = (2...4).map { id in
            Task { try await system.run(GateTask(id: id, gate: gate), attempt: 1) }
        }
        await eventually { node.server.status.queued == 3 }
        node.server.pause("a test")
        for other in others {
            let error = await #expect(throws: ScanError.self) { try await other.value }
            #expect(error?.code == .draining && error?.system == "node")
        }
        #expect(await node.event(containing: "paused").hasSuffix("paused: a test; 3 waiting tasks given back"))
        await #expect(throws: ScanError.self) { try await system.run(SumTask(id: 5, number: 1), attempt: 1) }
        Gate.open(gate)
        #expect(try await first.get())
        await eventually { node.server.status.connections == 0 }
        #expect(await node.event(containing: "all slots are free").hasSuffix("0 running tasks given back"))
        #expect(node.server.status.running == 0 && node.server.status.queued == 0)
        node.server.stop()
    }

    @Test("cancels a task that has not ended within the grace, and gives it back")
    func running() async throws {
        let node = try node(grace: .milliseconds(50))
        let system = try await system(node.address)
        let gate = Gate.make()
        let task = Task { try await system.run(GateTask(id: 1, gate: gate), attempt: 1) }
        await Gate.entered(gate, atLeast: 1)
        node.server.pause("a test")
        let error = await #expect(throws: ScanError.self) { try await task.value }
        #expect(error?.code == .draining)
        await Gate.cancelled(gate, atLeast: 1)
        #expect(await node.event(containing: "all slots are free").hasSuffix("1 running tasks given back"))
        node.server.stop()
    }

    @Test("refuses connections with the reason, and takes tasks again once it is resumed")
    func resumed() async throws {
        let node = try node()
        node.server.pause("a test")
        let refused = await connect(node.address)
        guard case .failed(let error) = refused.states[0].status else {
            Issue.record("\(refused.states)")
            return
        }
        #expect(error.message == "is paused: a test")
        node.server.resume()
        // The coordinator dials again by itself.
        await eventually { !refused.systems.snapshot.isEmpty }
        refused.nodes.close()
        node.server.stop()
    }

    @Test("that is resumed before its tasks have ended is used again by the same coordinator")
    func short() async throws {
        let node = try node()
        let (systems, nodes, _) = await connect(node.address)
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let gate = Gate.make()
        let run = Task {
            var count = 0
            for try await response in coordinator.responses(to: (0..<5).map { GateTask(id: $0, gate: gate) }) {
                #expect(try response.get() && response.attempt >= 1)
                count += 1
            }
            return count
        }
        await Gate.entered(gate, atLeast: 1)
        node.server.pause("a test")
        _ = await node.event(containing: "paused: ")
        node.server.resume()
        Gate.open(gate)
        #expect(try await run.value == 5)
        nodes.close()
        node.server.stop()
    }

    @Test("costs a run no attempt: its tasks go to other nodes, and to it when it comes back")
    func run() async throws {
        let paused = try node(grace: .milliseconds(10))
        let other = try TestNode(slots: 1)
        let (systems, nodes, _) = await connect(paused.address, other.address)
        let gate = Gate.make()
        let coordinator = ScanCoordinator(
            systems: systems, options: .init(maxAttempts: 1, maxSystemFaults: 1), clock: EventLoop.shared,
            executor: EventLoop.shared)
        let done = Locked(0)
        let run = Task {
            for try await response in coordinator.responses(to: (0..<50).map { GateTask(id: $0, gate: gate) }) {
                #expect(try response.get())
                done.withLock { $0 += 1 }
            }
        }
        await Gate.entered(gate, atLeast: 2)
        paused.server.pause("a test")
        await Gate.cancelled(gate, atLeast: 1)
        await eventually { systems.snapshot.count == 1 }
        paused.server.resume()
        await eventually { systems.snapshot.count == 2 }
        // The run's own list of nodes that cannot be used has it no longer.
        await eventually { paused.server.status.running == 1 }
        Gate.open(gate)
        try await run.value
        #expect(done.withLock { $0 } == 50)
        nodes.close()
        paused.server.stop()
        other.server.stop()
    }

    @Test("obeys holders of the key alone, also while it is paused, and says what became of it")
    func orders() async throws {
        let node = try node()
        let address = try SocketAddress(parsing: node.address)
        let paused = try await RemoteNodes.order(.pause, at: [address], keys: testKeys)
        #expect(paused.name == "node" && paused.pause == "as ordered")
        #expect(await node.event(containing: "ordered: ").hasSuffix("ordered: pause"))
        node.server.pause("as ordered")
        #expect(try await RemoteNodes.order(.resume, at: [address], keys: testKeys).pause == nil)
        let error = await #expect(throws: ConnectError.self) {
            try await RemoteNodes.order(.pause, at: [address], keys: newKeys())
        }
        #expect(error?.code == .authentication)
        let deaf = try TestNode()
        await #expect(throws: ConnectError.self) {
            try await RemoteNodes.order(.pause, at: [SocketAddress(parsing: deaf.address)], keys: testKeys)
        }
        #expect(await deaf.event(containing: "refused").contains("takes no orders"))
        for node in [node, deaf] { node.server.stop() }
    }

    @Test("is drained as one that runs tasks")
    func drained() async throws {
        let node = try node()
        node.server.pause("a test")
        await node.server.drain()
        await #expect(throws: ConnectError.self) { try await system(node.address) }
    }
}

@Suite struct NodeSelectionTests {
    @Test("names and patterns select nodes; what is excluded is not used even if it is named")
    func names() {
        let selection = NodeSelection(only: ["lab-*", "desk"], excluded: ["lab-3*"])
        #expect(["lab-1", "desk"].allSatisfy { selection.refusal(of: $0) == nil })
        #expect(selection.refusal(of: "lab-33")?.text == "is left out by --exclude lab-3*")
        #expect(selection.refusal(of: "attic")?.text == "is left out: --only names lab-*, desk")
        #expect(NodeSelection().refusal(of: "attic") == nil)
    }

    @Test("the beginning of a name selects a node unless another known name begins with it, or is it")
    func beginnings() {
        let selection = NodeSelection(only: ["be"])
        #expect(selection.refusal(of: "beta", among: ["beta", "alpha"]) == nil)
        #expect(selection.refusal(of: "alpha", among: ["beta", "alpha"])?.ambiguity == nil)
        let refusal = selection.refusal(of: "beta", among: ["beta", "bench", "alpha"])
        #expect(refusal?.ambiguity == "--only be could be bench or beta; give more of the name")
        #expect(selection.refusal(of: "beta", among: ["be", "beta"])?.text == "is left out: --only names be")
        #expect(selection.refusal(of: "be", among: ["be", "beta"]) == nil)

        let others = NodeSelection(excluded: ["be"])
        #expect(others.refusal(of: "beta", among: ["beta"])?.text == "is left out by --exclude be")
        #expect(others.refusal(of: "alpha", among: ["beta", "bench"]) == nil)
        // Neither is used until the user says which one is meant.
        for name in ["beta", "bench"] {
            let ambiguity = others.refusal(of: name, among: ["beta", "bench"])?.ambiguity
            #expect(ambiguity == "--exclude be could be bench or beta; give more of the name")
        }
    }

    @Test("a node without a task type that is needed does not join, and the error names it", .timeLimit(.minutes(10)))
    func taskTypes() async throws {
        let node = try TestNode()
        for (needed, isUsed) in [([SumTask.typeName], true), ([SumTask.typeName, UnknownTask.typeName], false)] {
            var options = RemoteNodes.Options()
            (options.timing, options.taskTypes) = (testTiming, needed)
            let systems = Systems(clock: EventLoop.shared)
            let nodes = RemoteNodes([node.address], keys: testKeys, systems: systems, options: options)
            nodes.start()
            let status = await nodes.settled()[0].status
            if isUsed { #expect(status == .joined) }
            if case .failed(let error) = status {
                #expect(!isUsed && error.code == .unknownType && error.message.contains("'test.unknown/1'"))
            }
            #expect(systems.snapshot.isEmpty != isUsed)
            nodes.close()
        }
        node.server.stop()
    }

    @Test("a node that is left out does not join", .timeLimit(.minutes(10)))
    func connection() async throws {
        let node = try TestNode()
        var options = RemoteNodes.Options()
        options.timing = testTiming
        options.selection = NodeSelection(excluded: ["nod?"])
        let systems = Systems(clock: EventLoop.shared)
        let nodes = RemoteNodes([node.address], keys: testKeys, systems: systems, options: options)
        nodes.start()
        guard case .failed(let error) = await nodes.settled()[0].status else {
            Issue.record("it joined")
            return
        }
        #expect(error.message == "is left out by --exclude nod?" && systems.snapshot.isEmpty)
        nodes.close()
        node.server.stop()
    }
}
