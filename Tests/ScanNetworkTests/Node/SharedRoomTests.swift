import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import Testing

/// Takes slots and memory, and counts what runs at the same time on all nodes of this process.
private struct RoomTask: ScanTask {
    static let typeName = "test.room/1"
    var id: Int
    var gauge: Int
    var slots = 1
    var requiredMemory = 0

    private static let used = Locked<[Int: (slots: Int, memory: Int, mostSlots: Int, mostMemory: Int)]>([:])

    static func most(_ gauge: Int) -> (slots: Int, memory: Int) {
        used.withLock { ($0[gauge]?.mostSlots ?? 0, $0[gauge]?.mostMemory ?? 0) }
    }

    private func add(_ sign: Int) {
        Self.used.withLock { used in
            var now = used[gauge] ?? (0, 0, 0, 0)
            (now.slots, now.memory) = (now.slots + sign * slots, now.memory + sign * requiredMemory)
            (now.mostSlots, now.mostMemory) = (max(now.mostSlots, now.slots), max(now.mostMemory, now.memory))
            used[gauge] = now
        }
    }

    func scan(_ context: ScanContext) -> Int {
        add(1)
        defer { add(-1) }
        Gate.pause()
        return id
    }
}

/// Takes several slots until its gate opens, and does not heed that it was cancelled.
private struct Stubborn: ScanTask {
    static let typeName = "test.stubborn/1"
    var id: Int
    var gate: Int
    var slots: Int { 3 }
    var requiredMemory: Int { 2 << 20 }

    func scan(_ context: ScanContext) -> Int {
        while !Gate.isOpen(gate) { Gate.pause() }
        return id
    }
}

/// Takes memory beside a value that all tasks share.
private struct SharingTask: ScanTask {
    static let typeName = "test.sharing/1"
    var id: Int
    var requiredMemory: Int { 3 << 30 }

    func scan(_ context: ScanContext) throws -> Int { try context.shared([Int].self)[id] }
}

@Suite("The slots and the memory of a node", .timeLimit(.minutes(10)))
struct SharedRoomTests {
    private func node(slots: Int = 8, memory: Int = 8 << 30) throws -> (NodeServer, String) {
        var options = NodeServer.Options()
        (options.timing, options.memory) = (testTiming, memory)
        let server = NodeServer(
            name: "node", keys: testKeys, slots: slots, taskTypes: TaskTypes(RoomTask.self, SharingTask.self),
            listen: "127.0.0.1:0", options: options)
        return (server, "\(try server.start())")
    }

    /// Runs the tasks of each coordinator at the same time on one node.
    private func run(_ tasks: [[RoomTask]], slots: Int = 8) async throws {
        let (server, address) = try node(slots: slots)
        try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for tasks in tasks {
                group.addTask {
                    let (systems, nodes, _) = await connect(address)
                    let coordinator = ScanCoordinator(
                        systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
                    var done: Set<Int> = []
                    for try await response in coordinator.responses(to: tasks) { done.insert(try response.get()) }
                    nodes.close()
                    return done
                }
            }
            for try await done in group { #expect(done.count == 60) }
        }
        server.stop()
    }

    @Test("40 tasks of 3 GB of each of two coordinators never need more than its 8 GB, and small ones run beside them")
    func memory() async throws {
        let gauge = Gate.make()
        let tasks = (0..<60).map { RoomTask(id: $0, gauge: gauge, requiredMemory: $0 < 40 ? 3 << 30 : 0) }
        try await run([tasks, tasks])
        #expect(RoomTask.most(gauge).memory == 6 << 30)
    }

    @Test("tasks of all slots of one coordinator, and small ones of another, all run, in no more than its slots")
    func slots() async throws {
        let gauge = Gate.make()
        let wide = (0..<60).map { RoomTask(id: $0, gauge: gauge, slots: 4) }
        let small = (0..<60).map { RoomTask(id: $0, gauge: gauge) }
        try await run([wide, small, small], slots: 4)
        #expect(RoomTask.most(gauge).slots == 4)
    }

    @Test("are the same for runs of a farm that share a value and for its other runs")
    func sharing() async throws {
        let (server, address) = try node()
        try await withFarm(
            running: RoomTask.self, SharingTask.self, nodes: [address], keys: testKeys, localSlots: 0
        ) { farm in
            let most = Locked(0)
            let gauge = Gate.make()
            let observer = { @Sendable (event: TaskEvent) in
                let used = farm.systems.snapshot.first?.usedMemory ?? 0
                most.withLock { $0 = max($0, used) }
            }
            async let plain = {
                var done = 0
                let tasks = (0..<30).map { RoomTask(id: $0, gauge: gauge, requiredMemory: 3 << 30) }
                for try await response in farm.responses(to: tasks, observer: observer) {
                    _ = try response.get()
                    done += 1
                }
                return done
            }()
            var sum = 0
            let value = try SharedValue((0..<30).map { $0 * 2 })
            for try await response in farm.responses(
                to: (0..<30).map { SharingTask(id: $0) }, sharing: value, observer: observer)
            {
                sum += try response.get()
            }
            #expect(sum == 870)
            #expect(try await plain == 30)
            #expect(most.withLock { $0 } == 6 << 30)
            #expect(farm.systems.snapshot.first?.usedMemory == 0)
        }
        server.stop()
    }

    @Test("an abandoned scan holds all of its slots and its memory")
    func abandoned() async throws {
        let gate = Gate.make()
        let systems = Systems(clock: EventLoop.shared)
        let local = ScanSystem(
            local: 4, id: SystemID(high: 0, low: 77), name: "local", memory: 3 << 20, clock: EventLoop.shared)
        systems.join(local)
        let coordinator = ScanCoordinator(
            systems: systems, options: .init(timeout: .milliseconds(20), maxAttempts: 1), clock: EventLoop.shared,
            executor: EventLoop.shared)
        for try await response in coordinator.responses(to: [Stubborn(id: 1, gate: gate)]) {
            #expect(throws: TaskFailure.self) { try response.get() }
        }
        await eventually { systems.state.members.first?.abandoned == 3 }
        // One slot is left, but not the memory.
        for try await response in coordinator.responses(to: [RoomTask(id: 2, gauge: gate)]) {
            #expect(try response.get() == 2)
        }
        Gate.open(gate)
        await eventually { systems.state.members.first?.abandoned == 0 }
        await local.close()
    }

    @Test("a task that needs more than its system has is told so")
    func tooLarge() async throws {
        let local = ScanSystem(
            local: 2, id: SystemID(high: 0, low: 78), name: "local", memory: 1 << 20, clock: EventLoop.shared)
        for (task, words) in [
            (RoomTask(id: 1, gauge: 0, slots: 3), "needs 3 slots"),
            (RoomTask(id: 1, gauge: 0, requiredMemory: 2 << 20), "needs 2097152 bytes of memory"),
        ] {
            let response = try await local.run(task, attempt: 1)
            let failure = #expect(throws: TaskFailure.self) { try response.get() }
            #expect(failure?.message.contains(words) == true)
        }
        await local.close()
    }
}
