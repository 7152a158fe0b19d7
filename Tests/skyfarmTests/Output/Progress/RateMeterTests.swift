import Testing

import Console

@Suite struct RateMeterTests {
    @Test("the rate is the recent one, not the overall one")
    func late() throws {
        var meter = RateMeter()
        for second in 1...40 { meter.add(second <= 20 ? 10 : 1000, at: Double(second)) }
        let rate = try #require(meter.rate(at: 40))
        #expect((900...1000).contains(rate))
    }

    @Test("after work stops, the rate falls to none")
    func standstill() {
        var meter = RateMeter(from: 5)
        #expect(meter.rate(at: 6) == nil)
        meter.add(10, at: 6)
        #expect(meter.rate(at: 6) == 10 && meter.rate(at: 10) == 2)
        #expect(meter.rate(at: 40) == nil)
    }

    @Test("many small amounts are kept as few samples")
    func samples() {
        var meter = RateMeter()
        for step in 1...100_000 { meter.add(1, at: Double(step) / 1000) }
        #expect(abs((meter.rate(at: 100) ?? 0) - 1000) < 20)
    }
}
