import ScanBasics
import ScanCluster
import Testing

/// Tasks whose bytes are held by systems without room.
@Suite struct TransferGainTests {
    private let run = RunID(rawValue: 1)

    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A system that holds the bytes of four tasks of 1 s each and has room for two, and one that is idle, over a link
    /// that takes so many seconds for the 100 bytes of a task.
    private func waiting(linkSeconds: Double) throws -> (state: Systems.State, pending: [PendingTask]) {
        var state = Systems.State()
        for number: UInt64 in 0...1 {
            _ = state.join(id: .test(number), name: "node-\(number)", slots: 1, depth: 2, isLocal: false)
        }
        let requests = (0..<4).map { TaskRequest(cost: 1, key: BulkKey(job: 1, index: $0), bytes: 100) }
        let pending = requests.enumerated().map { PendingTask(entry: $0.offset, request: $0.element) }
        for (index, task) in pending.enumerated() {
            let sent = state.pick(
                from: [task], excluding: [.test(1)], run: run, at: moment(Double(index) * linkSeconds))
            _ = state.release(
                try #require(sent).reservation, as: .finished(seconds: 1), at: moment(Double(index + 1) * linkSeconds))
        }
        for _ in 0..<2 {
            let again = state.pick(from: [pending[0]], excluding: [.test(1)], run: run, at: moment(10))
            #expect(again?.reservation.system == .test(0))
        }
        return (state, pending)
    }

    @Test("an idle system takes a task over from the one that holds its bytes if it would be done earlier")
    func transferGain() throws {
        // Two tasks are in flight there, and two wait: 4 s. Done by the other: 1 s, and the transfer.
        for (linkSeconds, isTaken) in [(0.1, true), (1.4, true), (3.2, false), (4, false)] {
            var (state, pending) = try waiting(linkSeconds: linkSeconds)
            _ = state.note(.init(rate: 100 / linkSeconds), of: .test(1), at: moment(10))
            let pick = state.pick(from: pending[1...2], excluding: [], run: run, at: moment(10))
            #expect(pick?.reservation.system == (isTaken ? .test(1) : nil), "\(linkSeconds) s")
            #expect(state.contradiction == nil)
        }
    }

    @Test("a task whose holder is set aside, or must not have it, waits for nobody")
    func unusableHolder() throws {
        var (state, pending) = try waiting(linkSeconds: 100)
        #expect(state.pick(from: pending[3...], excluding: [.test(0)], run: run, at: moment(999)) != nil)
        (state, pending) = try waiting(linkSeconds: 100)
        pending[3].request.avoiding = [.test(0)]
        #expect(state.pick(from: pending[3...], excluding: [], run: run, at: moment(999)) != nil)
        (state, pending) = try waiting(linkSeconds: 100)
        _ = state.note(.init(rate: 1), of: .test(1), at: moment(10))
        #expect(state.pick(from: pending[3...], excluding: [], run: run, at: moment(10)) == nil)
        _ = state.blame(.test(0), at: moment(999))
        #expect(state.pick(from: pending[3...], excluding: [], run: run, at: moment(999)) != nil)
    }

    @Test(
        "bytes that another system has to fetch lead a task to the one that has them, once it is known how fast that is"
    )
    func relayed() throws {
        var state = Systems.State()
        for number: UInt64 in 0...1 {
            _ = state.join(
                id: .test(number), name: "node-\(number)", slots: 1, depth: 2, isLocal: number == 0)
        }
        let requests = (0..<4).map {
            TaskRequest(cost: 1, key: BulkKey(job: 1, index: $0), bytes: 118_000_000, isRelayed: true)
        }
        let pending = requests.enumerated().map { PendingTask(entry: $0.offset, request: $0.element) }
        state.note(requests.compactMap(\.key), heldBy: "node-1")
        var picks: [Systems.State.Reservation] = []
        for index in 0..<2 {
            let pick = state.pick(from: pending[index...], excluding: [], run: run, at: moment(0))
            picks.append(try #require(pick).reservation)
        }
        #expect(picks.allSatisfy { $0.system == .test(1) && $0.relayed == 0 })
        #expect(state.pick(from: pending[2...], excluding: [], run: run, at: moment(0)) == nil)
        // A task takes the node 10 s: the local system fetches the bytes, in an assumed second each way.
        _ = state.release(picks[0], as: .finished(seconds: 10), at: moment(10))
        #expect(
            state.pick(from: pending[2...2], excluding: [], run: run, at: moment(10))?.reservation.system == .test(1))
        let fetched = state.pick(from: pending[3...], excluding: [], run: run, at: moment(10))
        #expect(fetched?.reservation.system == .test(0) && fetched?.reservation.relayed == 118_000_000)
        #expect(state.contradiction == nil)
    }

    @Test("a task that failed on one system and must now run locally does not wait for the idle holder of its bytes")
    func localRetry() {
        var state = Systems.State()
        for number: UInt64 in 0...2 {
            _ = state.join(
                id: .test(number), name: "node-\(number)", slots: 2, depth: 2, isLocal: number == 0)
        }
        var request = TaskRequest(cost: 1, key: BulkKey(job: 1, index: 0), bytes: 100)
        state.note([BulkKey(job: 1, index: 0)], heldBy: "node-1")
        (request.placement, request.avoiding) = (.localFirst, [.test(2)])
        // Another task needs the same bytes and may go to their holder, which has no room.
        let other = TaskRequest(cost: 1, key: BulkKey(job: 1, index: 0), bytes: 100)
        for isHolderBusy in [false, true] {
            for _ in 0..<(isHolderBusy ? 2 : 0) {
                _ = state.pick(
                    from: [.init(entry: 0, request: other)], excluding: [.test(0), .test(2)], run: run, at: moment(0))
            }
            var copy = state
            let pending = [PendingTask(entry: 0, request: request), PendingTask(entry: 1, request: other)]
            let pick = copy.pick(from: isHolderBusy ? pending : [pending[0]], excluding: [], run: run, at: moment(0))
            #expect(pick?.offset == 0 && pick?.reservation.system == .test(0))
        }
    }

    @Test("in a large cluster a task goes to the holder that has room, beside one that has none")
    func secondHolder() {
        var state = Systems.State()
        let count: UInt64 = 200
        for number in 0..<count {
            _ = state.join(id: .test(number), name: "node-\(number)", slots: 1, depth: 1, isLocal: false)
        }
        let task = PendingTask(
            entry: 0, request: TaskRequest(cost: 1, key: BulkKey(job: 1, index: 0), bytes: 1_000_000))
        let holders: [UInt64] = [7, 190]
        for number in holders { state.note([BulkKey(job: 1, index: 0)], heldBy: "node-\(number)") }
        let others = Set((0..<count).filter { $0 != holders[0] }.map { SystemID.test($0) })
        #expect(state.pick(from: [task], excluding: others, run: run, at: moment(0)) != nil)
        for _ in 0..<count {
            var copy = state
            let pick = copy.pick(from: [task], excluding: [], run: run, at: moment(0))
            #expect(pick?.reservation.system == .test(holders[1]))
            // Other systems are looked at the next time.
            _ = state.pick(from: [task], excluding: [], run: run, at: moment(0)).map {
                state.release($0.reservation, as: .void, at: moment(0))
            }
        }
    }

    @Test("with all systems idle, every task can start", arguments: 1...400)
    func noDeadlock(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var state = Systems.State()
        let members = UInt64.random(in: 1...(seed % 4 == 0 ? 150 : 6), using: &random)
        let hasLocal = Bool.random(using: &random)
        for number in 0..<members {
            _ = state.join(
                id: .test(number), name: "node-\(number)", slots: .random(in: 1...4, using: &random), depth: 8,
                isLocal: hasLocal && number == 0)
        }
        let keys = (0..<4).map { BulkKey(job: 1, index: $0) }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            state.note(
                keys.randomElement(using: &random).map { [$0] } ?? [],
                heldBy: "node-\(UInt64.random(in: 0..<members, using: &random))")
        }
        let pending = (0..<Int.random(in: 1...6, using: &random)).map { entry in
            var request = TaskRequest(
                cost: .random(in: 0.1...10, using: &random),
                key: Bool.random(using: &random) ? keys.randomElement(using: &random) : nil,
                bytes: .random(in: 1...1_000_000_000, using: &random), isRelayed: Bool.random(using: &random))
            if Bool.random(using: &random) { request.placement = .localFirst }
            request.avoiding = (0..<members).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map {
                .test($0)
            }
            return PendingTask(entry: entry, request: request)
        }
        let excluded = Set(
            (1..<members).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map { SystemID.test($0) })
        for task in pending {
            var copy = state
            let pick = copy.pick(
                from: [task], excluding: excluded, run: run, prefetching: Bool.random(using: &random), at: moment(0))
            #expect(pick != nil, "seed \(seed), task \(task)")
        }
        #expect(state.pick(from: pending, excluding: excluded, run: run, at: moment(0)) != nil, "seed \(seed)")
    }
}
