import Testing

import SkyReport

@Suite struct HistogramTests {
    @Test("bins have round edges and hold every value")
    func bins() {
        let histogram = Histogram([0.1, 0.9, 1.0, 2.5, 3.99], bins: 4)
        #expect(histogram.width == 1 && histogram.start == 0)
        #expect(histogram.counts == [2, 1, 1, 1])
        #expect(histogram.below == 0 && histogram.above == 0)
    }

    @Test("values far off are counted beside the bins")
    func outliers() {
        let histogram = Histogram((0..<1000).map { Double($0) / 1000 } + [1e9, -1e9])
        #expect(histogram.below >= 1 && histogram.above >= 1)
        #expect(histogram.counts.count < 60)
        #expect(histogram.counts.reduce(0, +) + histogram.below + histogram.above == 1002)
    }

    @Test("NaN does not count")
    func notANumber() {
        #expect(Histogram([.nan, .infinity, 5]).counts.reduce(0, +) == 1)
        #expect(Histogram([]).counts.isEmpty)
        #expect(Histogram([Double.nan]).counts.isEmpty)
    }

    @Test("equal values make one bin, whatever their size", arguments: [0, 5, -3, 1e12, 1e-9] as [Double])
    func equal(value: Double) {
        let histogram = Histogram([value, value])
        #expect(histogram.counts == [2])
        #expect(histogram.start <= value && value < histogram.start + histogram.width)
    }

    @Test(
        "steps are 1, 2 or 5 times a power of ten and not smaller than asked for",
        arguments: [(0.011, 0.02), (1, 1), (3, 5), (7, 10), (1200, 2000), (0, 1), (.nan, 1)] as [(Double, Double)])
    func steps(asked: Double, step: Double) { #expect(abs(niceStep(asked) - step) < 1e-12 * step) }
}
