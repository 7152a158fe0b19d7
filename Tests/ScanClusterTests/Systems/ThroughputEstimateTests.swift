import ScanCluster
import Testing

@Suite struct ThroughputEstimateTests {
    @Test("the rate follows a machine that slows down")
    func follows() throws {
        var estimate = ThroughputEstimate()
        #expect(estimate.rate == nil)
        estimate.measure(cost: 10, seconds: 1)
        #expect(estimate.rate == 10)
        for _ in 0..<30 { estimate.measure(cost: 10, seconds: 5) }
        #expect(abs(try #require(estimate.rate) - 2) < 0.05)
    }

    @Test("invalid values are ignored", arguments: [(0.0, 1.0), (.nan, 1), (.infinity, 1), (1, .infinity), (-1, 1)])
    func nonsense(cost: Double, seconds: Double) {
        var estimate = ThroughputEstimate()
        estimate.measure(cost: cost, seconds: seconds)
        #expect(estimate.rate == nil)
    }

    @Test("the prefetch is one task per slot for long scans and bounded for scans too quick to measure")
    func prefetch() {
        var estimate = ThroughputEstimate()
        #expect(estimate.prefetch(slots: 3) == 3)
        estimate.measure(cost: 1, seconds: 2)
        #expect(estimate.prefetch(slots: 3) == 3)
        var quick = ThroughputEstimate()
        quick.measure(cost: 1, seconds: 0)
        #expect(quick.prefetch(slots: 1) == 100_000)
    }
}

@Suite struct HeldKeysTests {
    @Test("the oldest key is forgotten when there are too many")
    func bounded() {
        var held = HeldKeys()
        func key(_ index: Int) -> BulkKey { BulkKey(job: 1, index: UInt64(index)) }
        for index in 0..<HeldKeys.limit + 2 {
            held.insert(key(index))
            held.insert(key(index))
        }
        #expect(!held.contains(key(0)))
        #expect(!held.contains(key(1)))
        #expect(held.contains(key(2)))
        #expect(held.contains(key(HeldKeys.limit + 1)))
    }
}
