import ScanBasics
import Testing

import SkySynthetic

@Suite struct SkyNoiseTests {
    @Test("streams of one seed differ")
    func streams() {
        var first = SplitMix64(seed: 7, stream: 0)
        var second = SplitMix64(seed: 7, stream: 1)
        #expect(first.next() != second.next())
    }

    @Test("Poisson deviates have the mean and variance asked for", arguments: [0.0, 0.5, 10, 39, 41, 1000])
    func poisson(mean: Double) {
        var noise = SkyNoise(generator: SplitMix64(seed: 5))
        let values = (0..<20_000).map { _ in noise.poisson(mean: mean) }
        let average = values.reduce(0, +) / 20_000
        let variance = values.reduce(0) { $0 + ($1 - average) * ($1 - average) } / 20_000
        #expect(abs(average - mean) <= 5 * (mean / 20_000).squareRoot())
        #expect(abs(variance - mean) <= 0.06 * mean)
        #expect(values.allSatisfy { $0 >= 0 })
    }
}
