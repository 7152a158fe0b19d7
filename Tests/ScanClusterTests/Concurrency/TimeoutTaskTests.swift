import ScanCluster
import ScanTestSupport
import Testing

@Suite struct TimeoutTaskTests {
    let clock = ManualClock()
    let abandoned = Locked(0)

    private func abandon() { abandoned.withLock { $0 += 1 } }

    @Test("a result that came before the wait is returned, and the timer is cancelled")
    func resultFirst() async {
        let work = TimeoutTask<Int>()
        work.settle(3)
        work.settle(4)
        #expect(await work.outcome(within: .seconds(1), on: clock, abandon: abandon) == .result(3))
        #expect(clock.timerCount == 0)
        #expect(abandoned.withLock { $0 } == 0)
    }

    @Test("a result that comes during the wait is returned, and the timer is cancelled")
    func resultLater() async {
        let work = TimeoutTask<Int>()
        async let outcome = work.outcome(within: .seconds(1), on: clock, abandon: abandon)
        await clock.timers()
        work.settle(3)
        #expect(await outcome == .result(3))
        #expect(clock.timerCount == 0)
        #expect(abandoned.withLock { $0 } == 0)
    }

    @Test("expiry abandons the work once and drops its late result")
    func expiry() async {
        let work = TimeoutTask<Int>()
        async let outcome = work.outcome(within: .seconds(1), on: clock, abandon: abandon)
        await clock.timers()
        clock.advance(by: .milliseconds(999))
        #expect(clock.timerCount == 1)
        clock.advance(by: .milliseconds(1))
        work.settle(3)
        #expect(await outcome == .expired)
        #expect(abandoned.withLock { $0 } == 1)
    }

    @Test("cancellation of the waiting task abandons the work and cancels the timer")
    func cancellation() async {
        let work = TimeoutTask<Int>()
        let waiting = Task { await work.outcome(within: .seconds(1), on: clock, abandon: abandon) }
        await clock.timers()
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(clock.timerCount == 0)
        #expect(abandoned.withLock { $0 } == 1)
    }

    @Test("a task that was cancelled before the wait does not wait")
    func cancelledBefore() async {
        let work = TimeoutTask<Int>()
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await work.outcome(within: nil, on: clock, abandon: abandon)
        }
        #expect(await waiting.value == .cancelled)
        #expect(abandoned.withLock { $0 } == 1)
    }
}
