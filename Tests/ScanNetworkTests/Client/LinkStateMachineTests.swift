import ScanCluster
import ScanNetwork
import Testing

@Suite("A link")
struct LinkStateMachineTests {
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("dials at once, and only once")
    func start() {
        var link = LinkStateMachine()
        #expect(link.start() == .dial)
        #expect(link.start() == .nothing)
        #expect(link.retry() == .nothing)
    }

    @Test("waits ever longer after failures, up to a limit")
    func backOff() {
        var link = LinkStateMachine()
        _ = link.start()
        var waits: [Int64] = []
        for _ in 0..<40 {
            guard case .wait(let instant) = link.failed(at: at(0), jitter: 1) else { continue }
            waits.append(instant.nanoseconds / 1_000_000)
            #expect(link.failed(at: at(0), jitter: 1) == .nothing)
            #expect(link.retry() == .dial)
        }
        #expect(waits.prefix(7) == [250, 500, 1000, 2000, 4000, 8000, 15000])
        #expect(waits.last == 15000)
    }

    @Test("spreads its tries by chance")
    func jitter() {
        var link = LinkStateMachine()
        _ = link.start()
        #expect(link.failed(at: at(100), jitter: 0) == .wait(until: at(225)))
    }

    @Test("forgets failures when a connection has lasted, and not before", arguments: [(9_999, 500), (10_000, 250)])
    func forgives(lived: Int64, wait: Int64) {
        var link = LinkStateMachine()
        _ = link.start()
        _ = link.failed(at: at(0), jitter: 1)
        #expect(link.retry() == .dial)
        link.connected(at: at(1000))
        #expect(link.failed(at: at(1000 + lived), jitter: 1) == .wait(until: at(1000 + lived + wait)))
    }

    @Test("that is connected again and again for a moment waits ever longer")
    func flapping() {
        var link = LinkStateMachine()
        var action = link.start()
        var now = at(0)
        var waits: [Int64] = []
        for _ in 0..<8 {
            #expect(action == .dial)
            link.connected(at: now)
            guard case .wait(let until) = link.failed(at: now, jitter: 1) else { continue }
            waits.append(Int64(until.since(now) / .milliseconds(1)))
            now = until
            action = link.retry()
        }
        #expect(waits == [250, 500, 1000, 2000, 4000, 8000, 15000, 15000])
    }

    @Test("to a node that has joined under another address waits until that is lost, however long")
    func standBy() {
        var link = LinkStateMachine()
        _ = link.start()
        link.connected(at: at(0))
        link.standBy()
        #expect(link.failed(at: at(1), jitter: 1) == .nothing)
        #expect(link.start() == .nothing)
        #expect(link.retry() == .dial)
        link.standBy()
        #expect(link.failed(at: at(2), jitter: 1) == .wait(until: at(252)))
    }

    @Test("that is not persistent makes one try each time it is wanted")
    func once() {
        var link = LinkStateMachine(isPersistent: false)
        for _ in 0..<3 {
            #expect(link.start() == .dial)
            #expect(link.start() == .nothing)
            #expect(link.failed(at: at(0), jitter: 1) == .nothing)
            #expect(link.retry() == .nothing)
        }
        #expect(link.start() == .dial)
        link.connected(at: at(0))
        #expect(link.start() == .nothing)
        #expect(link.failed(at: at(0), jitter: 1) == .nothing)
        #expect(link.start() == .dial)
    }

    @Test("does nothing once it is closed")
    func close() {
        var link = LinkStateMachine()
        _ = link.start()
        link.close()
        link.connected(at: at(0))
        #expect(link.failed(at: at(0), jitter: 0) == .nothing)
        #expect(link.retry() == .nothing)
        #expect(link.start() == .dial)
    }
}
