import ScanCluster
import ScanNetwork
import Testing

/// Reports, and waits at its gate.
private struct ReportingTask: ScanTask {
    static let typeName = "test.reporting/1"
    var id: Int
    var gate: Int

    func scan(_ context: ScanContext) throws -> Int {
        context.log("task \(id) begins")
        context.report(0.5, "half of \(id)")
        while !Gate.isOpen(gate) { Gate.pause() }
        context.log("task \(id) ends")
        context.report(1)
        return id
    }
}

/// Takes memory, and returns it.
private struct MemoryTask: ScanTask {
    static let typeName = "test.memory/1"
    var id: Int
    var requiredMemory: Int

    /// Tasks that need memory and run now, on all nodes of this process.
    static let running = Locked<(now: Int, most: Int)>((0, 0))

    func scan(_ context: ScanContext) -> Int {
        if requiredMemory > 0 { Self.running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        defer { if requiredMemory > 0 { Self.running.withLock { $0.now -= 1 } } }
        Gate.pause()
        return id
    }
}

@Suite("What tasks of a node report and need", .timeLimit(.minutes(10)))
struct ReportTests {
    private func node(memory: Int = 8 << 30) throws -> (NodeServer, String) {
        var options = NodeServer.Options()
        options.memory = memory
        let server = NodeServer(
            name: "node", keys: testKeys, slots: 8, taskTypes: TaskTypes(ReportingTask.self, MemoryTask.self),
            listen: "127.0.0.1:0", options: options)
        return (server, "\(try server.start())")
    }

    @Test("reaches the observer while they run, and all of it before their end")
    func reports() async throws {
        let (server, address) = try node()
        let (systems, nodes, _) = await connect(address)
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let gate = Gate.make()
        let (progress, lines) = (Locked<[Int: [Double]]>([:]), Locked<[Int: [String]]>([:]))
        let responses = coordinator.responses(
            to: (0..<4).map { ReportingTask(id: $0, gate: gate) },
            observer: { event in
                switch event {
                case .taskProgressed(let index, let system, 1, let fraction, let message):
                    #expect(system == "node" && (message.isEmpty || message == "half of \(index)"))
                    progress.withLock { $0[index, default: []].append(fraction) }
                case .taskLogged(let index, "node", 1, let line): lines.withLock { $0[index, default: []].append(line) }
                default: break
                }
            })
        let running = Task {
            for try await response in responses {
                #expect(progress.withLock { $0[response.index] } == [0.5, 1])
                let words = ["task \(response.id) begins", "task \(response.id) ends"]
                #expect(lines.withLock { $0[response.index] } == words)
            }
        }
        await eventually { progress.withLock { $0.count } == 4 }
        Gate.open(gate)
        try await running.value
        nodes.close()
        server.stop()
    }

    @Test("reaches the observer with the number of the task also from chunks")
    func chunks() async throws {
        let (server, address) = try node()
        let (systems, nodes, _) = await connect(address)
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let gate = Gate.make()
        Gate.open(gate)
        let (lines, counts) = (Locked<[Int: [String]]>([:]), Locked<[String: Int]>([:]))
        let tasks = (0..<200).map { ReportingTask(id: $0, gate: gate) }
        let responses = coordinator.responses(to: tasks, inChunksOf: 8) { event in
            switch event {
            case .taskProgressed(let index, "node", 1, let fraction, let message):
                #expect(fraction == 1 && message.isEmpty || abs(fraction - 0.5) < 1e-6 && message == "half of \(index)")
            case .taskLogged(let index, "node", 1, let line): lines.withLock { $0[index, default: []].append(line) }
            case .taskStarted: counts.withLock { $0["started", default: 0] += 1 }
            case .taskFinished: counts.withLock { $0["finished", default: 0] += 1 }
            default: break
            }
        }
        for try await response in responses { #expect(try response.get() == response.index) }
        // Of many lines in 0.1 s only the first are passed on.
        let seen = lines.withLock { $0 }
        #expect(seen.count > 20)
        for (index, lines) in seen {
            let own = ["task \(index) begins", "task \(index) ends"]
            #expect(lines.allSatisfy { own.contains($0) || $0.hasSuffix("lines were dropped") }, "\(index): \(lines)")
        }
        #expect(counts.withLock { $0 } == ["started": 200, "finished": 200])
        nodes.close()
        server.stop()
    }

    @Test("is not sent to a coordinator that does not understand it")
    func olderCoordinator() throws {
        var info = CoordinatorInfo(name: "old", frameLimit: 1 << 20)
        #expect(info.takesReports == nil)
        let handshake = ServerHandshake(
            node: NodeInfo(
                identity: SystemID(high: 1, low: 1), name: "a", slots: 1, queueLimit: 1, taskTypes: [],
                frameLimit: 1 << 20))
        func takesReports(_ info: CoordinatorInfo) throws -> Bool? {
            let bytes = try ClientHandshake().greeting(info)
            guard case .open(let seen, _, _) = bytes.withUnsafeBytes({ handshake.received($0) }) else { return nil }
            return seen.takesReports
        }
        #expect(try takesReports(info) == nil)
        info.takesReports = true
        #expect(try takesReports(info) == true)
    }

    @Test("40 tasks of 3 GB run two at a time on each of two nodes of 8 GB, and small ones beside them")
    func memory() async throws {
        let nodes = [try node(), try node()]
        let (systems, connections, _) = await connect(nodes[0].1, nodes[1].1)
        #expect(systems.snapshot.allSatisfy { $0.memory == 8 << 30 })
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        let tasks = (0..<80).map { MemoryTask(id: $0, requiredMemory: $0.isMultiple(of: 2) ? 3 << 30 : 0) }
        var done: Set<Int> = []
        for try await response in coordinator.responses(to: tasks) {
            done.insert(try response.get())
            #expect(systems.snapshot.allSatisfy { $0.usedMemory <= 6 << 30 })
        }
        #expect(done.count == 80)
        #expect(MemoryTask.running.withLock { $0.most } <= 4)
        #expect(systems.snapshot.allSatisfy { $0.usedMemory == 0 })
        connections.close()
        for (server, _) in nodes { server.stop() }
    }

    @Test("more than any node has ends the run, and the error says how much")
    func tooMuch() async throws {
        let (server, address) = try node(memory: 1 << 20)
        let (systems, nodes, _) = await connect(address)
        let coordinator = ScanCoordinator(
            systems: systems, options: .init(waitForSystems: .milliseconds(20)), clock: EventLoop.shared,
            executor: EventLoop.shared)
        let error = await #expect(throws: ScanError.self) {
            for try await _ in coordinator.responses(to: [MemoryTask(id: 0, requiredMemory: 1 << 30)]) {}
        }
        #expect(error?.message.contains("that has 1073741824 bytes of memory") == true)
        nodes.close()
        server.stop()
    }
}
