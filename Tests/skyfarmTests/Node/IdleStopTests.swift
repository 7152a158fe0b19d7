import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

import NodeDaemon

@Suite("--idle-stop", .timeLimit(.minutes(10)))
struct IdleStopTests {
    private let clock = ManualClock()
    private let peer = NodeServer.Peer(address: "10.0.0.7:5000", name: "desk")

    private func disconnected() -> NodeServer.Event {
        .disconnected(peer, reason: "left", done: 1, cancelled: 0)
    }

    @Test("a node that no coordinator has used ends after the time")
    func unused() async throws {
        let stop = try #require(IdleStop(after: .seconds(300), clock: clock))
        clock.advance(by: .seconds(300))
        var iterator = stop.ends.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test("the time begins again with the end of the last coordinator")
    func used() async throws {
        let stop = try #require(IdleStop(after: .seconds(300), clock: clock))
        clock.advance(by: .seconds(200))
        stop.note(.connected(peer))
        stop.note(.connected(peer))
        stop.note(disconnected())
        clock.advance(by: .seconds(1000))
        stop.note(disconnected())
        clock.advance(by: .seconds(299))
        stop.note(.connected(peer))
        stop.note(disconnected())
        clock.advance(by: .seconds(299))
        #expect(stop.hasCome == false)
        clock.advance(by: .seconds(1))
        #expect(stop.hasCome)
    }

    @Test("no time, no end")
    func none() { #expect(IdleStop(after: nil, clock: clock) == nil) }
}
