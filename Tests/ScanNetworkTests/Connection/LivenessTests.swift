import ScanCluster
import ScanNetwork
import Testing

@Suite("Liveness")
struct LivenessTests {
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("pings at once and then every heartbeat, while the peer gives signs of life")
    func pings() {
        var liveness = Liveness(timing: ConnectionTiming(), now: at(0))
        #expect(liveness.check(at: at(0)) == .ping(1))
        #expect(liveness.nextCheck == at(1000))
        #expect(liveness.check(at: at(999)) == .wait)
        liveness.sign(at: at(900))
        #expect(liveness.check(at: at(1000)) == .ping(2))
        liveness.sign(at: at(1900))
        #expect(liveness.check(at: at(2000)) == .ping(3))
        #expect(liveness.nextCheck == at(3000))
    }

    @Test("considers a peer dead after three silent seconds")
    func lost() {
        var liveness = Liveness(timing: ConnectionTiming(), now: at(0))
        liveness.sign(at: at(500))
        for second in 0...3 { _ = liveness.check(at: at(Int64(second) * 1000)) }
        #expect(liveness.nextCheck == at(3500))
        #expect(liveness.check(at: at(3499)) == .wait)
        #expect(liveness.check(at: at(3500)) == .lost)
        liveness.sign(at: at(3500))
        #expect(liveness.check(at: at(3500)) == .wait)
    }

    @Test("measures the round trip of the last ping only")
    func roundTrip() {
        var liveness = Liveness(timing: ConnectionTiming(), now: at(0))
        #expect(liveness.roundTrip == nil)
        _ = liveness.check(at: at(0))
        liveness.pong(9, at: at(1))
        #expect(liveness.roundTrip == nil)
        liveness.pong(1, at: at(2))
        #expect(liveness.roundTrip == .milliseconds(2))
        liveness.pong(1, at: at(50))
        #expect(liveness.roundTrip == .milliseconds(2))
    }
}
