import ScanCluster
import Testing

@Suite struct AdaptiveTimeoutTests {
    private func pace(_ secondsPerCost: Double...) -> TaskPace {
        var pace = TaskPace()
        for seconds in secondsPerCost { pace.measure(cost: 2, time: .seconds(2 * seconds)) }
        return pace
    }

    @Test("until three tasks were measured, the limit is five minutes, or longer for a large task")
    func unmeasured() {
        let timeout = AdaptiveTimeout()
        for pace in [pace(), pace(1), pace(1, 1)] {
            #expect(timeout.limit(cost: 1, pace: pace) == .seconds(300))
            #expect(timeout.limit(cost: 12e6, pace: pace) == .seconds(300))
            #expect(timeout.limit(cost: 120e6, pace: pace) == .seconds(3000))
        }
    }

    @Test("then it is a hundred times the usual time of the task's cost, and never below a minute")
    func measured() {
        let timeout = AdaptiveTimeout()
        #expect(timeout.limit(cost: 1, pace: pace(0.001, 0.001, 0.001)) == .seconds(60))
        let limit = timeout.limit(cost: 4, pace: pace(1, 1, 1)) / .seconds(1)
        #expect((350...450).contains(limit) && limit == limit.rounded())
        // The median: one task that took long, or one that was quick, does not change it much.
        #expect(timeout.limit(cost: 4, pace: pace(1, 1, 1000)) / .seconds(1) == limit)
        #expect(timeout.limit(cost: 4, pace: pace(0.001, 1, 1)) / .seconds(1) == limit)
    }

    @Test("no cost makes it overflow", arguments: [.infinity, 1e300, .nan, 0, -1])
    func extremes(cost: Double) {
        for pace in [pace(), pace(1, 1, 1)] {
            let limit = AdaptiveTimeout().limit(cost: cost, pace: pace)
            #expect(limit >= .seconds(60) && limit <= .seconds(2_592_000))
        }
    }
}
