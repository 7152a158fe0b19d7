import ScanCluster
import ScanDiscovery
import Testing

@Suite("Keeping a node announced")
struct AdvertisementStateTests {
    let absent = DiscoveryError(.daemonAbsent, "absent")
    var state = AdvertisementState(retry: RetrySchedule(first: .milliseconds(500), longest: .seconds(4)))
    let start = Instant(nanoseconds: 0)

    @Test("a node is announced at once, and its name told")
    mutating func announced() {
        #expect(state.handle(.start, at: start) == [.register])
        #expect(state.handle(.registered("a"), at: start) == [.tell(.advertised(name: "a"))])
        #expect(state.nextDeadline == nil)
    }

    @Test("a failed announcement is repeated ever less often, and its reason told once")
    mutating func retries() throws {
        _ = state.handle(.start, at: start)
        #expect(state.handle(.ended(absent), at: start) == [.tell(.unavailable(absent))])
        var now = start
        for milliseconds in [500, 1000, 2000, 4000, 4000] {
            let deadline = now.advanced(by: .milliseconds(milliseconds))
            #expect(state.nextDeadline == deadline)
            #expect(state.handle(.tick, at: now) == [])
            now = deadline
            #expect(state.handle(.tick, at: now) == [.register])
            #expect(state.handle(.ended(absent), at: now) == [])
        }
        #expect(state.handle(.registered("a"), at: now) == [.tell(.advertised(name: "a"))])
        #expect(state.handle(.ended(absent), at: now) == [.tell(.unavailable(absent))])
        #expect(state.nextDeadline == now.advanced(by: .milliseconds(500)))
    }

    @Test("what breaks a rule is not tried again")
    mutating func hopeless() {
        _ = state.handle(.start, at: start)
        _ = state.handle(.ended(DiscoveryError(.invalid, "too long")), at: start)
        #expect(state.nextDeadline == nil)
    }

    @Test("pauses double up to the longest", arguments: [(0, 1), (1, 1), (2, 2), (5, 16), (6, 20), (1000, 20)])
    func schedule(failures: Int, seconds: Int) {
        let schedule = RetrySchedule(first: .seconds(1), longest: .seconds(20))
        #expect(schedule.pause(afterFailures: failures) == .seconds(seconds))
    }
}
