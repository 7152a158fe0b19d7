import ScanCluster
import ScanNetwork
import Testing

@Suite("A link")
struct LinkStateTests {
    let node = SystemID(high: 1, low: 2)
    let error = ConnectError(.unreachable, "is off")

    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    /// Handles an event at a time in milliseconds.
    func handle(
        _ link: inout LinkState, _ event: LinkState.Event, at time: Int64 = 0, jitter: Double = 1
    ) -> [LinkState.Action] { link.handle(event, at: at(time), jitter: jitter) }

    /// When the link dials again.
    func wait(_ actions: [LinkState.Action]) -> Int64? {
        for case .wait(let instant) in actions { return instant.nanoseconds / 1_000_000 }
        return nil
    }

    @Test("dials at once, and only once")
    func start() {
        var link = LinkState()
        #expect(handle(&link, .start) == [.dial])
        #expect(handle(&link, .start).isEmpty)
        #expect(handle(&link, .retry).isEmpty)
        #expect(link.status == .connecting)
    }

    @Test("waits ever longer after failures, up to a limit")
    func backOff() {
        var link = LinkState()
        _ = handle(&link, .start)
        var waits: [Int64] = []
        for _ in 0..<40 {
            let actions = handle(&link, .failed(error))
            #expect(actions.last == .report(.failed(error)))
            if let wait = wait(actions) { waits.append(wait) }
            #expect(link.status == .failed(error))
            #expect(handle(&link, .failed(error)).isEmpty)
            #expect(handle(&link, .retry) == [.dial])
        }
        #expect(waits.prefix(7) == [250, 500, 1000, 2000, 4000, 8000, 15000])
        #expect(waits.last == 15000)
    }

    @Test("spreads its attempts by chance")
    func jitter() {
        var link = LinkState()
        _ = handle(&link, .start)
        #expect(handle(&link, .failed(error), at: 100, jitter: 0).first == .wait(until: at(225)))
    }

    @Test("resets the wait when a connection has lasted, and not before", arguments: [(9_999, 500), (10_000, 250)])
    func forgives(lasted: Int64, expected: Int64) {
        var link = LinkState()
        _ = handle(&link, .start)
        _ = handle(&link, .failed(error))
        #expect(handle(&link, .retry) == [.dial])
        #expect(handle(&link, .connected(node, hasJoined: true), at: 1000) == [.report(.connected)])
        #expect(link.status == .joined)
        let actions = handle(&link, .lost(error), at: 1000 + lasted)
        #expect(actions == [.wait(until: at(1000 + lasted + expected)), .report(.ended)])
    }

    @Test("that is connected again and again for a moment waits ever longer")
    func flapping() {
        var link = LinkState()
        var actions = handle(&link, .start)
        var now: Int64 = 0
        var waits: [Int64] = []
        for _ in 0..<8 {
            #expect(actions == [.dial])
            _ = handle(&link, .connected(node, hasJoined: true), at: now)
            guard let until = wait(handle(&link, .lost(error), at: now)) else { continue }
            waits.append(until - now)
            now = until
            actions = handle(&link, .retry, at: now)
        }
        #expect(waits == [250, 500, 1000, 2000, 4000, 8000, 15000, 15000])
    }

    @Test("to a node that has joined over another link waits until that is lost, however long")
    func standBy() {
        var link = LinkState()
        _ = handle(&link, .start)
        #expect(handle(&link, .connected(node, hasJoined: false)) == [.disconnect, .report(.connected)])
        #expect(link.status == .duplicate(of: ""))
        #expect(handle(&link, .lost(error), at: 1).isEmpty)
        #expect(handle(&link, .retry).isEmpty)
        #expect(handle(&link, .freed) == [.dial])
        #expect(handle(&link, .failed(error), at: 2) == [.wait(until: at(252)), .report(.failed(error))])
    }

    @Test("that is not persistent makes one attempt each time it is started")
    func once() {
        var link = LinkState(isPersistent: false)
        #expect(link.status == .closed)
        for _ in 0..<3 {
            #expect(handle(&link, .start) == [.dial])
            #expect(handle(&link, .start).isEmpty)
            #expect(handle(&link, .failed(error)) == [.report(.failed(error))])
            #expect(handle(&link, .retry).isEmpty)
        }
        #expect(handle(&link, .start) == [.dial])
        _ = handle(&link, .connected(node, hasJoined: true))
        #expect(handle(&link, .start) == [.report(.connected)])
        #expect(handle(&link, .lost(error)) == [.report(.ended)])
        #expect(handle(&link, .start) == [.dial])
    }

    @Test("that is not persistent ends when the link that it stands by for is lost")
    func freed() {
        var link = LinkState(isPersistent: false)
        #expect(handle(&link, .standBy) == [.report(.connected)])
        #expect(link.isStandingBy)
        #expect(handle(&link, .freed) == [.report(.ended)])
        #expect(link.status == .closed)
        #expect(handle(&link, .freed).isEmpty)
    }

    @Test("does nothing once it is closed, and closes a connection that was made meanwhile")
    func close() {
        var link = LinkState()
        _ = handle(&link, .start)
        #expect(handle(&link, .close) == [.close])
        #expect(handle(&link, .connected(node, hasJoined: false)) == [.disconnect])
        #expect(handle(&link, .failed(error)).isEmpty)
        #expect(handle(&link, .retry).isEmpty)
        #expect(handle(&link, .start) == [.dial])
    }
}
