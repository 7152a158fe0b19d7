import ScanCluster
import Testing

@Suite struct SystemsStateTests {
    private let run = RunID(rawValue: 1)
    let start = Instant(nanoseconds: 0)

    private func state(_ slots: Int..., depth: Int = 100, local: Int? = nil) -> Systems.State {
        state(slots, depth: depth, local: local)
    }

    private func state(_ slots: [Int], depth: Int, local: Int? = nil) -> Systems.State {
        var state = Systems.State()
        for (index, slots) in slots.enumerated() {
            let joined = state.join(
                id: .test(UInt64(index)), name: "node-\(index)", slots: slots,
                depth: index == local ? slots : depth, isLocal: index == local)
            #expect(joined)
        }
        return state
    }

    private func pick(
        _ state: inout Systems.State, cost: Double = 1, key: BulkKey? = nil, avoiding: [SystemID] = [],
        localFirst: Bool = false, excluding: Set<SystemID> = [], at seconds: Double = 0
    ) -> Systems.State.Reservation? {
        var request = TaskRequest(cost: cost, key: key)
        request.avoiding = avoiding
        if localFirst { request.placement = .localFirst }
        defer { #expect(state.contradiction == nil) }
        return state.pick(
            from: [PendingTask(entry: 0, request: request)], excluding: excluding, run: run, at: moment(seconds)
        )?.reservation
    }

    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test("an empty registry has no room")
    func empty() {
        var state = Systems.State()
        #expect(pick(&state) == nil)
    }

    @Test("equal systems share the tasks, ties going to the longest idle")
    func ties() throws {
        var state = state(2, 2, 2)
        let first = try (0..<3).map { _ in try #require(pick(&state)) }
        #expect(first.map(\.system) == [.test(0), .test(1), .test(2)])
        for reservation in [first[1], first[0], first[2]] { _ = state.release(reservation, as: .failed(""), at: start) }
        #expect(pick(&state)?.system == .test(1))
        #expect(pick(&state)?.system == .test(0))
    }

    @Test("a task goes where it is expected to finish first: more slots, less load, higher rate")
    func load() throws {
        var state = state(1, 4)
        // 4 slots take four tasks while 1 slot takes one.
        let picks = try (0..<5).map { _ in try #require(pick(&state)).system }
        #expect(picks.count { $0 == .test(1) } == 4)
        // Node 1 turns out ten times slower.
        var measured = self.state(1, 1)
        let a = try #require(pick(&measured))
        let b = try #require(pick(&measured))
        _ = measured.release(a, as: .finished(seconds: 1), at: start)
        _ = measured.release(b, as: .finished(seconds: 10), at: start)
        #expect(pick(&measured)?.system == a.system)
        #expect(measured.members.map(\.throughput.rate) == [1, 0.1])
    }

    @Test("no system takes more than its depth: a slot each if local, slots and prefetch if remote")
    func depth() {
        var state = state(2, 2, local: 0)
        var count = 0
        while pick(&state) != nil { count += 1 }
        #expect(count == 2 + 4)
        var narrow = self.state(2, depth: 3)
        count = 0
        while pick(&narrow) != nil { count += 1 }
        #expect(count == 3)
    }

    @Test("a task that needs tags goes to a system that has all of them, and another starts before it meanwhile")
    func tags() throws {
        var state = state(1, depth: 1)
        _ = state.join(id: .test(1), name: "one", slots: 1, depth: 1, isLocal: false, tags: ["gpu"])
        _ = state.join(id: .test(2), name: "both", slots: 1, depth: 1, isLocal: false, tags: ["gpu", "fast-disk"])
        let pending = [["gpu", "fast-disk"], ["gpu", "fast-disk"], ["tape"], ["gpu"], []].enumerated().map {
            PendingTask(entry: $0, request: TaskRequest(cost: 1, tags: Set($1)))
        }
        func pick(_ pending: [PendingTask]) -> (offset: Int, system: SystemID)? {
            defer { #expect(state.contradiction == nil) }
            return state.pick(from: pending, excluding: [], run: run, at: start)
                .map { ($0.offset, $0.reservation.system) }
        }
        #expect(try #require(pick(pending)) == (0, .test(2)))
        // What needs both tags, or one that no system has, waits.
        #expect(try #require(pick(Array(pending[1...]))) == (2, .test(1)))
        #expect(try #require(pick([pending[1], pending[2], pending[4]])) == (2, .test(0)))
        #expect(pick(Array(pending[1...3])) == nil)
    }

    @Test("tasks wait at the local system if it has a queue, unless it has failed")
    func localQueue() throws {
        var state = Systems.State()
        _ = state.join(id: .test(0), name: "here", slots: 2, depth: 3, isLocal: true)
        let first = try #require(pick(&state))
        var count = 1
        while pick(&state) != nil { count += 1 }
        #expect(count == 3)
        _ = state.release(first, as: .fault, at: start)
        #expect(state.members[0].depth == 2)
    }

    @Test("no system has more tasks than slots while tasks must not wait there")
    func noPrefetch() {
        var state = state(2, 3)
        let pending = [PendingTask(entry: 0, request: TaskRequest(cost: 1))]
        var count = 0
        while state.pick(from: pending, excluding: [], run: run, prefetching: false, at: start) != nil { count += 1 }
        #expect(count == 2 + 3)
        #expect(pick(&state) != nil)
    }

    @Test("tiny tasks increase the depth of a remote system up to its limit")
    func deep() throws {
        var state = state(1, depth: 50)
        for _ in 0..<10 {
            let reservation = try #require(pick(&state))
            _ = state.release(reservation, as: .finished(seconds: 1e-6), at: start)
        }
        #expect(state.members[0].depth == 50)
    }

    @Test("a task goes to the system that holds its bytes while that has room")
    func locality() throws {
        var state = state(1, 1, depth: 2)
        let key = BulkKey(job: 1, index: 1)
        let holder = try #require(pick(&state, key: key)).system
        #expect(pick(&state, key: key)?.system == holder)
        // No room left there: another takes it.
        #expect(pick(&state, key: key)?.system != holder)
    }

    @Test("among pending tasks those are taken first whose bytes a system with room holds, then those no system holds")
    func search() throws {
        var state = state(1, 1, depth: 2)
        let keys = (0..<3).map { BulkKey(job: 1, index: UInt64($0)) }
        let first = try #require(pick(&state, key: keys[0]))
        let second = try #require(pick(&state, key: keys[1]))
        #expect(first.system != second.system)
        _ = pick(&state, key: keys[0])  // The first is full now.
        func pending(_ indices: [Int]) -> [PendingTask] {
            indices.map { PendingTask(entry: $0, request: TaskRequest(cost: 1, key: keys[$0])) }
        }
        var copy = state
        #expect(copy.pick(from: pending([0, 2, 1]), excluding: [], run: run, at: start)?.offset == 2)
        copy = state
        #expect(copy.pick(from: pending([0, 2]), excluding: [], run: run, at: start)?.offset == 1)
        copy = state
        let stolen = copy.pick(from: pending([0]), excluding: [], run: run, at: start)
        #expect(stolen?.reservation.system == second.system)
    }

    @Test("a task that failed waits for a local slot that is free in time, and goes elsewhere if there is none")
    func localFirst() {
        var state = state(1, 1, 1, local: 0)
        #expect(pick(&state, avoiding: [.test(1)], localFirst: true)?.system == .test(0))
        #expect(pick(&state, cost: 10, avoiding: [.test(1)], localFirst: true) == nil)
        var late = state
        #expect(pick(&late, avoiding: [.test(1)], localFirst: true)?.system == .test(2))
        #expect(pick(&state, avoiding: [.test(0), .test(1)], localFirst: true)?.system == .test(2))
        var busy = self.state(1, 1, local: 0)
        #expect(pick(&busy, avoiding: [.test(0), .test(1)], localFirst: true)?.system == .test(0))
        var remote = self.state(1, 1)
        #expect(pick(&remote, avoiding: [.test(0)], localFirst: true)?.system == .test(1))
        var single = self.state(1)
        #expect(pick(&single, avoiding: [.test(0)], localFirst: true)?.system == .test(0))
    }

    @Test("an avoided system is used only if there is no other, an excluded one never")
    func avoid() {
        var state = state(1, 1)
        for _ in 0..<2 { #expect(pick(&state, avoiding: [.test(0)])?.system == .test(1)) }
        #expect(pick(&state, avoiding: [.test(0)]) == nil)
        #expect(pick(&state, avoiding: [.test(0), .test(1)])?.system == .test(0))
        var other = self.state(1)
        #expect(pick(&other, excluding: [.test(0)]) == nil)
    }

    @Test("a system that fails is set aside twice as long each time, and forgiven on success")
    func backOff() throws {
        var state = state(1)
        var now = 0.0
        for length in [0.5, 1, 2, 4] {
            let reservation = try #require(pick(&state, at: now))
            now += 0.1
            #expect(state.release(reservation, as: .fault, at: moment(now)) == moment(now + length))
            #expect(pick(&state, at: now + length - 0.01) == nil)
            now += length
        }
        let good = try #require(pick(&state, at: now))
        _ = state.release(good, as: .finished(seconds: 1), at: moment(now))
        let bad = try #require(pick(&state, at: now))
        #expect(state.release(bad, as: .fault, at: moment(now)) == moment(now + 0.5))
    }

    @Test("attempts that were in flight when a system failed count as one fault, and their success does not reset it")
    func oneFault() throws {
        var state = state(4)
        let reservations = try (0..<3).map { _ in try #require(pick(&state)) }
        #expect(state.release(reservations[0], as: .fault, at: moment(1)) == moment(1.5))
        #expect(state.release(reservations[1], as: .fault, at: moment(1)) == nil)
        #expect(state.release(reservations[2], as: .finished(seconds: 1), at: moment(1.2)) == nil)
        #expect(pick(&state, at: 1.4) == nil)
        #expect(pick(&state, at: 1.5) != nil)
    }

    @Test("no task waits for a slot of a system that has failed, until it has succeeded again")
    func noneWaitAfterFault() throws {
        var state = state(2)
        let first = try #require(pick(&state))
        #expect(state.members[0].depth == 4)
        _ = state.release(first, as: .fault, at: start)
        let second = try #require(pick(&state, at: 0.5))
        let third = try #require(pick(&state, at: 0.5))
        #expect(pick(&state, at: 0.5) == nil)
        _ = state.release(third, as: .fault, at: moment(0.6))
        // It was under way when the fault came.
        _ = state.release(second, as: .finished(seconds: 1), at: moment(0.7))
        #expect(state.members[0].depth == 2)
        let good = try #require(pick(&state, at: 1.6))
        _ = state.release(good, as: .finished(seconds: 1), at: moment(1.7))
        #expect(state.members[0].depth == 4)
        // Blame is a fault like any other, also where the slots are taken but the depth is not.
        for _ in 0..<3 { _ = try #require(pick(&state, at: 1.7)) }
        _ = state.blame(.test(0), at: moment(1.7))
        #expect(state.members[0].depth == 2 && state.contradiction == nil)
    }

    @Test("a task that throws is no fault of the system, unless another system could do it")
    func blame() throws {
        var state = state(1)
        let reservation = try #require(pick(&state))
        #expect(state.release(reservation, as: .failed(""), at: start) == nil)
        #expect(pick(&state) != nil)
        #expect(state.blame(.test(0), at: start) == moment(0.5))
        #expect(state.blame(.test(0), at: start) == nil)
        #expect(state.blame(.test(9), at: start) == nil)
    }

    @Test("a system that leaves and comes back is still set aside, and knows nothing of its old reservations")
    func comeBack() throws {
        var state = state(1)
        let old = try #require(pick(&state))
        let failed = try #require(pick(&state))
        _ = state.release(failed, as: .fault, at: moment(1))
        let left = [state.leave(.test(0)).wasThere, state.leave(.test(0)).wasThere]
        #expect(left == [true, false])
        let isBack = state.join(id: .test(0), name: "node-0", slots: 1, depth: 2, isLocal: false)
        #expect(isBack)
        #expect(pick(&state, at: 1.4) == nil)
        #expect(state.release(old, as: .finished(seconds: 1), at: moment(1.4)) == nil)
        #expect(state.members[0].done == 0)
        #expect(pick(&state, at: 1.5) != nil)
    }

    @Test("a system that is lost with attempts in flight is set aside ever longer, though they end after it left")
    func lost() throws {
        var state = state(2)
        var now = 1.0
        for length in [0.5, 1, 2, 4] {
            let attempts = try (0..<2).map { _ in try #require(pick(&state, at: now)) }
            let end = moment(now + 0.1)
            #expect(state.leave(.test(0), lost: end).setAside == moment(now + 0.1 + length))
            for attempt in attempts { #expect(state.release(attempt, as: .fault, at: end) == nil) }
            #expect(state.join(id: .test(0), name: "node-0", slots: 2, depth: 4, isLocal: false) == true)
            #expect(pick(&state, at: now + length) == nil)
            now += 0.1 + length
        }
    }

    @Test("a system that is lost while it has nothing to do, or that leaves in order, is not set aside")
    func noFault() throws {
        var state = state(1, 1)
        #expect(state.leave(.test(0), lost: moment(1)).setAside == nil)
        _ = try #require(pick(&state))
        #expect(state.leave(.test(1)).setAside == nil)
    }

    @Test("attempts that were lost after another fault of the same cause count once")
    func lostOnce() throws {
        var state = state(2)
        let first = try #require(pick(&state))
        _ = try #require(pick(&state))
        #expect(state.release(first, as: .fault, at: moment(1)) == moment(1.5))
        #expect(state.leave(.test(0), lost: moment(1)).setAside == nil)
    }

    @Test("a second connection to a system that is there is refused")
    func twice() {
        var state = state(1)
        let isNew = state.join(id: .test(0), name: "again", slots: 1, depth: 2, isLocal: false)
        #expect(!isNew)
        #expect(state.members.map(\.name) == ["node-0"])
    }

    @Test("slots lost to abandoned scans are not used")
    func abandoned() {
        var state = state(2, local: 0)
        state.abandon(.init(slots: 1), on: .test(0))
        state.abandon(.init(slots: 1), on: .test(9))
        #expect(pick(&state) != nil)
        #expect(pick(&state) == nil)
        state.abandon(.init(slots: 2), on: .test(0))
        #expect(pick(&state) == nil)
        state.abandon(.init(slots: 0), on: .test(0))
        #expect(pick(&state) != nil)
    }

    @Test("in a cluster of many, every system gets its share, and none is asked for more than it has room for")
    func many() throws {
        let count = 4 * Systems.State.candidateLimit
        var state = state(Array(repeating: 1, count: count), depth: 2)
        let picks = try (0..<2 * count).map { _ in try #require(pick(&state)) }
        #expect(pick(&state) == nil)
        for number in 0..<count { #expect(picks.count { $0.system == .test(UInt64(number)) } == 2) }
        for reservation in picks { _ = state.release(reservation, as: .finished(seconds: 1), at: start) }
        #expect(state.contradiction == nil)
        #expect(state.members.allSatisfy { $0.done == 2 })
    }

    @Test("in a cluster of many, a slow system gets fewer tasks all the same")
    func manyAndSlow() throws {
        let count = 4 * Systems.State.candidateLimit
        var state = state(Array(repeating: 1, count: count), depth: 2)
        var slow = 0
        for round in 0..<20 {
            let picks = try (0..<count).map { _ in try #require(pick(&state)) }
            for reservation in picks {
                let isSlow = reservation.system == .test(7)
                if isSlow, round > 0 { slow += 1 }
                _ = state.release(reservation, as: .finished(seconds: isSlow ? 50 : 1), at: start)
            }
        }
        // Of 19, once each is known.
        #expect(slow <= 2)
    }

    @Test("in a cluster of many, the systems that are set aside hide none that is not")
    func manySetAside() throws {
        let count = 4 * Systems.State.candidateLimit
        var state = state(Array(repeating: 1, count: count), depth: 1)
        let picks = try (0..<count).map { _ in try #require(pick(&state)) }
        for reservation in picks where reservation.system != .test(7) {
            _ = state.release(reservation, as: .fault, at: start)
        }
        #expect(pick(&state) == nil)
        let last = try #require(picks.first { $0.system == .test(7) })
        _ = state.release(last, as: .finished(seconds: 1), at: start)
        #expect(pick(&state)?.system == .test(7))
    }

    @Test("in a cluster of many, a task that waits for the local system gets it whenever that has room")
    func manyAndLocal() throws {
        let count = 4 * Systems.State.candidateLimit
        for local in [0, count / 2, count - 1] {
            var state = state(Array(repeating: 1, count: count), depth: 2, local: local)
            for _ in 0..<8 {
                let reservation = try #require(pick(&state, localFirst: true))
                #expect(reservation.system == .test(UInt64(local)))
                _ = state.release(reservation, as: .failed(""), at: start)
            }
        }
    }

    @Test("bytes that a system has dropped, or had when it left, are no longer held")
    func forgotten() throws {
        var state = state(1, 1)
        for number in 0...UInt64(HeldKeys.limit) {
            let reservation = try #require(pick(&state, key: BulkKey(job: 1, index: number), excluding: [.test(1)]))
            _ = state.release(reservation, as: .void, at: start)
        }
        #expect(!state.isHeld(BulkKey(job: 1, index: 0)))
        #expect(state.isHeld(BulkKey(job: 1, index: 1)))
        _ = state.leave(.test(0))
        #expect(!state.isHeld(BulkKey(job: 1, index: 1)))
        #expect(state.contradiction == nil)
    }
}
