import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import Testing

@Suite("A farm", .timeLimit(.minutes(10)))
struct FarmTests {
    @Test("runs tasks on nodes and on slots of its own", arguments: [0, 1])
    func job(localSlots: Int) async throws {
        let nodes = [try TestNode(), try TestNode()]
        let farm = try await Farm(nodes: nodes.map(\.address), keys: testKeys, localSlots: localSlots)
        let tasks = (0..<200).map { SumTask(id: $0, number: $0) }
        var sum = 0
        for try await response in farm.coordinator.responses(to: tasks) { sum += try response.get() }
        #expect(sum == 199 * 200 / 2)
        #expect(farm.systems.snapshot.count == 2 + localSlots)
        await farm.close()
        await eventually { farm.systems.snapshot.isEmpty }
        for node in nodes { node.server.stop() }
    }

    @Test("runs a first program on this machine alone", arguments: [1, 8])
    func alone(limit: Int) async throws {
        try await withFarm(running: SumTask.self, discovering: [], keys: testKeys) { farm in
            let processors = ProcessInfo.processInfo.activeProcessorCount
            #expect(farm.systems.snapshot.map(\.slots) == [processors])
            let tasks = (0..<100).map { SumTask(id: $0 + 7, number: $0 % 10 == 3 ? -1 : $0) }
            let responses =
                limit == 1 ? farm.responses(to: tasks) : farm.responses(to: tasks, inChunksOf: limit)
            var places: [Int] = []
            for try await response in responses {
                // The place in the run, also of tasks that failed in a chunk and were tried again.
                #expect(response.id == response.index + 7)
                places.append(response.index)
            }
            #expect(places.sorted() == Array(0..<100))
        }
    }

    @Test("names a task by the same number in events and responses")
    func places() async throws {
        let finished = Locked<[Int: String]>([:])
        try await withFarm(running: SumTask.self, discovering: [], keys: testKeys, localSlots: 2) { farm in
            let tasks = (0..<50).map { SumTask(id: 1000 - $0, number: $0) }
            let responses = farm.responses(
                to: tasks,
                observer: { event in
                    if case .taskFinished(let index, let system, _, _, _) = event {
                        finished.withLock { $0[index] = system }
                    }
                })
            for try await response in responses {
                #expect(response.id == 1000 - response.index)
                #expect(finished.withLock { $0[response.index] } == response.system)
            }
        }
        #expect(finished.withLock { $0.count } == 50)
    }

    @Test("sends a task that needs a tag to a node that has it, also in chunks", arguments: [1, 8])
    func tags(limit: Int) async throws {
        let nodes = [try TestNode(), try TestNode { $0.tags = ["gpu", "fast-disk"] }]
        let farm = try await Farm(nodes: nodes.map(\.address), keys: testKeys, localSlots: 1)
        let tagged = try #require(farm.systems.snapshot.first { $0.tags == ["gpu", "fast-disk"] })
        let tasks = (0..<60).map { TaggedTask(id: $0, tags: $0 % 3 == 0 ? ["gpu"] : []) }
        var systems: [Int: String] = [:]
        let responses =
            limit == 1
            ? farm.responses(to: tasks) : farm.responses(to: tasks, inChunksOf: limit)
        for try await response in responses {
            #expect(try response.get() == response.id)
            systems[response.id] = response.system
        }
        #expect(systems.count == 60)
        #expect(systems.filter { $0.key % 3 == 0 }.allSatisfy { $0.value == tagged.name })
        await farm.close()
        for node in nodes { node.server.stop() }
    }

    @Test("fails with the tag that no system has")
    func missingTag() async throws {
        let node = try TestNode()
        let farm = try await Farm(
            nodes: [node.address], keys: testKeys, options: .init(waitForSystems: .milliseconds(50)))
        let error = await #expect(throws: ScanError.self) {
            for try await _ in farm.responses(to: [TaggedTask(id: 0, tags: ["gpu"])]) {}
        }
        #expect(error?.code == .noSystem && error?.message.contains("tags they need (gpu)") == true)
        await farm.close()
        node.server.stop()
    }

    @Test("is complete once the nodes that were given have joined, with slots of its own as well")
    func settled() async throws {
        let nodes = [try TestNode(), try TestNode()]
        let farm = try await Farm(nodes: nodes.map(\.address), keys: testKeys, localSlots: 1)
        #expect(farm.systems.snapshot.count == 3)
        await farm.close()
        for node in nodes { node.server.stop() }
    }

    // An attempt that was waited for on another executor than its system's could miss its own end.
    @Test("runs tasks for a coordinator that has no executor")
    func foreignExecutor() async throws {
        let node = try TestNode()
        let farm = try await Farm(nodes: [node.address], keys: testKeys, localSlots: 0)
        let coordinator = ScanCoordinator(systems: farm.systems, clock: EventLoop.shared)
        let tasks = (0..<3000).map { SumTask(id: $0, number: $0) }
        var sum = 0
        for try await response in coordinator.responses(to: tasks) { sum += try response.get() }
        #expect(sum == 2999 * 3000 / 2)
        await farm.close()
        node.server.stop()
    }

    @Test("needs something that can run a task, and says what is wrong with the first node")
    func nothing() async throws {
        await #expect(throws: ScanError.self) { _ = try await Farm(discovering: [], keys: testKeys, localSlots: 0) }
        let server = try StrangeServer(answer: Array("SSH-2.0-x\r\n".utf8))
        await #expect(
            throws: ConnectError(.notANode, "speaks SSH: it is not Skyfarm", system: server.address)
        ) { _ = try await Farm(nodes: [server.address], keys: testKeys) }
        server.stop()
    }

    @Test("is closed when its body ends, also by an error")
    func body() async throws {
        let node = try TestNode()
        let sum = try await withFarm(running: SumTask.self, nodes: [node.address], keys: testKeys) { farm in
            var sum = 0
            for try await response in farm.responses(to: (0..<10).map { SumTask(id: $0, number: $0) }) {
                sum += try response.get()
            }
            return sum
        }
        #expect(sum == 45)
        await eventually { node.server.status.connections == 0 }
        await #expect(throws: NegativeNumber.self) {
            try await withFarm(running: SumTask.self, nodes: [node.address], keys: testKeys) { _ in
                throw NegativeNumber(number: -1)
            }
        }
        await eventually { node.server.status.connections == 0 }
        node.server.stop()
    }

    @Test("says before any dispatch that a node knows no task of a type, and uses the others")
    func unknownType() async throws {
        let stranger = NodeServer(
            name: "stranger", keys: testKeys, slots: 1, taskTypes: TaskTypes(UnknownTask.self), listen: "127.0.0.1:0")
        let address = "\(try stranger.start())"
        let words = "has no task type 'test.sum/1': it runs another program, or another version (\(Skyfarm.version))"
        let error = ConnectError(.unknownType, words, system: address)
        await #expect(throws: error) {
            try await withFarm(running: SumTask.self, CountTask.self, nodes: [address], keys: testKeys) { _ in }
        }
        let node = try TestNode()
        try await withFarm(
            running: SumTask.self, nodes: [address, node.address], keys: testKeys, localSlots: 0
        ) { farm in
            #expect(await farm.unusableNodes == [error])
            #expect(farm.systems.snapshot.map(\.name) == ["node"])
        }
        stranger.stop()
        node.server.stop()
    }

    @Test("survives a node that stops during a run")
    func nodeStops() async throws {
        let port = try ClosedPort()
        defer { port.release() }
        let nodes = [try TestNode(listen: port.address), try TestNode()]
        let farm = try await Farm(nodes: nodes.map(\.address), keys: testKeys, localSlots: 0)
        let tasks = (0..<500).map { SumTask(id: $0, number: $0) }
        var seen: Set<Int> = []
        for try await response in farm.coordinator.responses(to: tasks) {
            seen.insert(try response.get())
            if seen.count == 20 { nodes[0].server.stop() }
        }
        #expect(seen == Set(0..<500))
        await farm.close()
        nodes[1].server.stop()
    }
}
