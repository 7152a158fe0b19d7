import ScanCluster
import Testing

/// Tasks that take memory or several slots of a system.
@Suite struct LargeTaskTests {
    private let run = RunID(rawValue: 1)
    private let start = Instant(nanoseconds: 0)
    private static let gigabyte = 1_000_000_000

    private func state(nodes: Int, slots: Int, memory: Int? = nil) -> Systems.State {
        var state = Systems.State()
        for index in 0..<nodes {
            _ = state.join(
                id: .test(UInt64(index)), name: "node-\(index)", slots: slots, depth: 100, isLocal: false,
                memory: memory)
        }
        return state
    }

    private func request(slots: Int = 1, memory: Int = 0) -> TaskRequest {
        var request = TaskRequest(cost: 1)
        request.needs = .init(slots: slots, memory: memory)
        return request
    }

    private func pick(
        from pending: inout [TaskRequest], _ state: inout Systems.State
    ) -> (request: TaskRequest, reservation: Systems.State.Reservation)? {
        let tasks = pending.enumerated().map { PendingTask(entry: $0, request: $1) }
        let pick = state.pick(from: tasks, excluding: [], run: run, at: start)
        #expect(state.contradiction == nil)
        return pick.map { (pending.remove(at: $0.offset), $0.reservation) }
    }

    @Test("40 tasks of 3 GB run two at a time on nodes of 8 GB, and hold no small task up", arguments: 0..<20)
    func memory(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        var state = state(nodes: 2, slots: 8, memory: 8 * Self.gigabyte)
        let large = request(memory: 3 * Self.gigabyte)
        var pending = (0..<40).map { _ in large } + (0..<40).map { _ in request() }
        pending.shuffle(using: &generator)
        var running: [(request: TaskRequest, reservation: Systems.State.Reservation)] = []
        var done = 0
        while done < 80 {
            while let next = pick(from: &pending, &state) { running.append(next) }
            for node in state.members {
                let here = running.filter { $0.reservation.system == node.id }
                #expect(here.count { $0.request == large } <= 2)
                #expect(node.usedMemory == 3 * Self.gigabyte * here.count { $0.request == large })
            }
            // Whoever needs no memory does not wait while there is room.
            #expect(!pending.contains(request()) || state.members.allSatisfy { $0.inFlight >= $0.slots })
            let ended = running.remove(at: Int.random(in: running.indices, using: &generator))
            _ = state.release(ended.reservation, as: .finished(seconds: 1), at: start)
            #expect(state.contradiction == nil)
            done += 1
        }
        #expect(state.members.allSatisfy { $0.usedMemory == 0 })
    }

    @Test("a task that needs more memory than any system has, or one that states none, waits")
    func impossible() throws {
        var state = state(nodes: 1, slots: 2, memory: Self.gigabyte)
        var unknown = self.state(nodes: 1, slots: 2)
        var pending = [request(memory: 2 * Self.gigabyte), request()]
        var one = [request(memory: 1)]
        #expect(try #require(pick(from: &pending, &state)).request == request())
        #expect(pick(from: &pending, &state) == nil)
        #expect(pick(from: &one, &unknown) == nil)
        #expect(state.members[0].suits(.init()) && !state.members[0].suits(.init(memory: 2 * Self.gigabyte)))
    }

    @Test("a task of several slots gets them, although small tasks follow without end, and nothing waits beside it")
    func slots() throws {
        var state = state(nodes: 2, slots: 4)
        var running: [(request: TaskRequest, reservation: Systems.State.Reservation)] = []
        var pending = (0..<8).map { _ in request() }
        while let next = pick(from: &pending, &state) { running.append(next) }
        pending = [request(slots: 4)] + (0..<100).map { _ in request() }
        var steps = 0
        while !running.contains(where: { $0.request.needs.slots == 4 }) {
            let ended = running.removeFirst()
            _ = state.release(ended.reservation, as: .finished(seconds: 1), at: start)
            while let next = pick(from: &pending, &state) { running.append(next) }
            steps += 1
            try #require(steps < 100)
        }
        let wide = try #require(running.first { $0.request.needs.slots == 4 }).reservation
        let beside = running.filter { $0.reservation.system == wide.system }
        #expect(beside.count == 1)
        // The other node has worked meanwhile.
        #expect(running.count > 4)
        _ = state.release(wide, as: .finished(seconds: 1), at: start)
        #expect(state.members.allSatisfy { $0.furtherSlots == 0 } && state.contradiction == nil)
    }

    @Test("a task of more slots than any system has holds no other up")
    func tooWide() throws {
        var state = state(nodes: 2, slots: 2)
        var pending = [request(slots: 3), request(), request()]
        #expect(pick(from: &pending, &state)?.request == request())
        #expect(pick(from: &pending, &state)?.request == request())
        #expect(pick(from: &pending, &state) == nil)
    }
}
