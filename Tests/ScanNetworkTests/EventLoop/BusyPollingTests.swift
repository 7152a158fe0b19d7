import ScanCluster
import ScanNetwork
import Testing

@Suite("Busy polling")
struct BusyPollingTests {
    /// A loop, and the time.
    struct Loop {
        var polling = BusyPolling()
        var now = Instant(nanoseconds: 1_000_000_000)

        /// Waits until an event comes after `time`, with a poll each microsecond.
        /// - Returns: how long it polled before the event or its sleep.
        @discardableResult
        mutating func wait(_ time: Duration) -> Duration {
            let start = now
            let end = start.advanced(by: time)
            var polls = polling.begin(at: now)
            while polls, now < end {
                now = now.advanced(by: .microseconds(1))
                polls = polling.goesOn(after: .nanoseconds(300), at: now)
            }
            let polled = now.since(start)
            now = max(now, end)
            polling.end(at: now)
            return polled
        }

        mutating func wait(_ time: Duration, times: Int) {
            for _ in 0..<times { wait(time) }
        }

        /// Waits short times until it polls.
        mutating func getUsed() { wait(.microseconds(20), times: BusyPolling.habit) }

        /// A wait in which other threads have the core for `time` after the first poll.
        /// - Returns: whether it polled, and whether it would poll again.
        mutating func waitInCrowd(_ time: Duration) -> (polls: Bool, goesOn: Bool) {
            let polls = polling.begin(at: now)
            now = now.advanced(by: time)
            let goesOn = polls && polling.goesOn(after: time, at: now)
            polling.end(at: now)
            return (polls, goesOn)
        }

        /// Whether it would poll, if it began to wait after `time`.
        func polls(after time: Duration = .zero) -> Bool {
            var polling = polling
            return polling.begin(at: now.advanced(by: time))
        }
    }

    let short = Duration.microseconds(20)
    let long = Duration.milliseconds(2)

    @Test("begins after some short waits")
    func begins() {
        var loop = Loop()
        for _ in 0..<BusyPolling.habit { #expect(loop.wait(short) == .zero) }
        #expect(loop.wait(short) == short)
        #expect(loop.wait(.microseconds(150)) == .microseconds(150))
    }

    @Test("outlives a long wait after many short ones, and ends with a second one")
    func ends() {
        var loop = Loop()
        loop.wait(short, times: 100)
        #expect(loop.wait(long) == BusyPolling.limit)
        #expect(loop.wait(short) == short)
        loop.wait(long, times: 2)
        #expect(loop.wait(short) == .zero)
    }

    @Test("begins anew, after however many long waits, with as many short ones as at first")
    func again() {
        var loop = Loop()
        loop.getUsed()
        loop.wait(long, times: 100)
        for _ in 0..<BusyPolling.habit { #expect(loop.wait(short) == .zero) }
        #expect(loop.wait(short) == short)
    }

    @Test("never begins where it would poll in the long waits alone", arguments: 2...5)
    func pattern(period: Int) {
        var loop = Loop()
        for index in 1...100 { #expect(loop.wait(index % period == 0 ? long : short) == .zero) }
    }

    @Test("does not count what was there before")
    func instant() {
        var loop = Loop()
        loop.wait(.microseconds(4), times: 100)
        #expect(!loop.polls())
        loop.getUsed()
        loop.wait(.zero, times: 100)
        #expect(loop.polls())
    }

    @Test("goes on beside threads that do not need the core for long")
    func company() {
        var loop = Loop()
        loop.getUsed()
        for _ in 0..<100 { #expect(loop.waitInCrowd(.microseconds(199)) == (true, true)) }
        #expect(loop.waitInCrowd(.microseconds(499)) == (true, false))
        #expect(loop.polls())
        #expect(loop.waitInCrowd(.microseconds(500)) == (true, false))
        #expect(!loop.polls())
    }

    @Test("pauses for threads that keep needing the core, ever longer, until polling is of use again")
    func crowd() {
        var loop = Loop()
        let slice = Duration.milliseconds(3)
        loop.getUsed()
        for count in 0..<20 {
            #expect(loop.waitInCrowd(slice) == (true, false))
            let restraint = slice * (1 << min(count, BusyPolling.doublings))
            #expect(!loop.polls(after: restraint - .nanoseconds(1)))
            loop.now = loop.now.advanced(by: restraint - .milliseconds(1))
            loop.getUsed()
            loop.now = loop.now.advanced(by: .milliseconds(1))
            // It polls, and finds at once what it would have found without.
            loop.wait(.zero)
        }
        #expect(loop.wait(short) == short)
        #expect(loop.waitInCrowd(slice) == (true, false))
        loop.now = loop.now.advanced(by: slice)
        #expect(loop.polls())
    }

    @Test("begins soon again after the process was stopped")
    func stopped() {
        var loop = Loop()
        loop.getUsed()
        #expect(loop.waitInCrowd(.seconds(3600)) == (true, false))
        #expect(loop.polls(after: BusyPolling.longestAbsence))
    }
}
