import ScanCluster
import Testing

/// Tasks in flight that an idle system would have done sooner.
@Suite("A task in flight")
struct RescueTests {
    private let run = RunID(rawValue: 1)

    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A local slot that does a cost of 1 in a second, and a node that has a task of 100 bytes, of which `left` are still
    /// to be sent at 10 bytes a second.
    private func cluster(left: Int) throws -> (state: Systems.State, running: Systems.State.Running) {
        var state = Systems.State()
        _ = state.join(id: .test(0), name: "local", slots: 1, depth: 1, isLocal: true, speed: 1)
        _ = state.join(
            id: .test(1), name: "node", slots: 1, depth: 2, isLocal: false, link: BulkLink(nominal: 10), speed: 1)
        state.assumedRate = 1
        let request = TaskRequest(cost: 1, key: BulkKey(job: 1, index: 0), bytes: 100)
        let pick = state.pick(
            from: [PendingTask(entry: 0, request: request)], excluding: [.test(0)], run: run, at: moment(0))
        let reservation = try #require(pick).reservation
        _ = state.note(.init(transfer: (reservation.ticket, left), rate: 10), of: .test(1), at: moment(0))
        return (state, Systems.State.Running(request: request, reservation: reservation))
    }

    @Test("is recalled while its bytes are being sent, if a local slot would have it done sooner")
    func recalled() throws {
        // The task is done there after 11, 3 and 1.01 s, and here after 1 s.
        for (left, rate, isRecalled) in [(100, 10.0, true), (20, 10, true), (1, 100, false)] {
            var (state, running) = try cluster(left: left)
            _ = state.note(.init(rate: rate), of: .test(1), at: moment(0))
            let rescue = state.rescue(among: [running], excluding: [], run: run, at: moment(0))
            #expect((rescue != nil) == isRecalled, "\(left) bytes")
            if let rescue {
                #expect(rescue.recalls && rescue.reservation.system == .test(0))
                // What was not sent to the end is not held there.
                _ = state.release(running.reservation, as: .void, at: moment(0))
                #expect(!state.isHeld(BulkKey(job: 1, index: 0)))
            }
            #expect(state.contradiction == nil)
        }
    }

    @Test("whose bytes have arrived gets a second attempt if it takes much longer than expected")
    func late() throws {
        var (state, running) = try cluster(left: 0)
        #expect(state.rescue(among: [running], excluding: [], run: run, at: moment(0.5)) == nil)
        #expect(state.rescue(among: [running], excluding: [], run: run, at: moment(1.5)) == nil)
        // It was to be done after 1 s, and is expected to take as long again as it is late: after 2.67 s, 1 s is 0.6 of it.
        #expect(state.rescue(among: [running], excluding: [], run: run, at: moment(2.6)) == nil)
        var late = state
        let hedge = late.rescue(among: [running], excluding: [], run: run, at: moment(2.7))
        #expect(hedge?.recalls == false && hedge?.reservation.system == .test(0))
        // Where nothing is known of any system, an expectation means nothing.
        state.assumedRate = nil
        #expect(state.rescue(among: [running], excluding: [], run: run, at: moment(60)) == nil)
        var slow = state
        slow.assumedRate = 4
        let rescue = slow.rescue(among: [running], excluding: [], run: run, at: moment(0))
        #expect(rescue == nil)
    }

    @Test("is waited for while its bytes get on, so that they are not sent twice because time passes")
    func receiving() throws {
        var (state, running) = try cluster(left: 50)
        #expect(state.isReceiving(running.reservation, at: moment(9)))
        #expect(!state.isReceiving(running.reservation, at: moment(11)), "the link does not get on")
        _ = state.note(.init(transfer: (running.reservation.ticket, 0)), of: .test(1), at: moment(11))
        #expect(!state.isReceiving(running.reservation, at: moment(11)))
    }

    @Test("that has moved often is not sent again, but a local slot may take it")
    func restless() throws {
        let (state, first) = try cluster(left: 99)
        var running = first
        running.earlier = 7
        var local = state
        #expect(local.rescue(among: [running], excluding: [], run: run, at: moment(0))?.reservation.system == .test(0))
        var remote = state
        _ = remote.join(
            id: .test(2), name: "other", slots: 1, depth: 2, isLocal: false, link: BulkLink(nominal: 1e6), speed: 1)
        _ = remote.note(.init(rate: 1e6), of: .test(2), at: moment(0))
        #expect(remote.rescue(among: [running], excluding: [.test(0)], run: run, at: moment(0)) == nil)
        running.earlier = 0
        #expect(remote.rescue(among: [running], excluding: [.test(0)], run: run, at: moment(0)) != nil)
    }

    @Test("goes to a link of which nothing is known only if none of its bytes is on its way")
    func unknownLink() throws {
        var (state, running) = try cluster(left: 99)
        _ = state.join(
            id: .test(2), name: "other", slots: 1, depth: 2, isLocal: false, link: BulkLink(nominal: 1e6), speed: 1)
        #expect(state.rescue(among: [running], excluding: [.test(0)], run: run, at: moment(0)) == nil)
        let request = TaskRequest(cost: 1, key: BulkKey(job: 1, index: 1), bytes: 100)
        let second = state.pick(
            from: [PendingTask(entry: 1, request: request)], excluding: [.test(0), .test(2)], run: run, at: moment(0))
        let waiting = Systems.State.Running(request: request, reservation: try #require(second).reservation)
        let rescue = state.rescue(among: [running, waiting], excluding: [.test(0)], run: run, at: moment(0))
        #expect(rescue?.offset == 1 && rescue?.reservation.system == .test(2))
        // The first one, too, before any of its bytes is sent.
        var (early, whole) = try cluster(left: 100)
        _ = early.join(
            id: .test(2), name: "other", slots: 1, depth: 2, isLocal: false, link: BulkLink(nominal: 1e6), speed: 1)
        let first = early.rescue(among: [whole], excluding: [.test(0)], run: run, at: moment(0))
        #expect(first?.recalls == true && first?.reservation.system == .test(2))
    }

    @Test("is compared by the speeds that nodes state before any is measured, without a local system as well")
    func statedSpeeds() throws {
        var state = Systems.State()
        state.assumedRate = 1
        _ = state.join(id: .test(1), name: "slow", slots: 1, depth: 2, isLocal: false, speed: 0.5)
        let request = TaskRequest(cost: 4, key: BulkKey(job: 1, index: 0), bytes: 100)
        let pick = state.pick(from: [PendingTask(entry: 0, request: request)], excluding: [], run: run, at: moment(0))
        let running = Systems.State.Running(request: request, reservation: try #require(pick).reservation)
        _ = state.join(id: .test(2), name: "fast", slots: 1, depth: 2, isLocal: false, speed: 1)
        let rescue = state.rescue(among: [running], excluding: [], run: run, at: moment(0.001))
        #expect(rescue?.reservation.system == .test(2))
    }
}
