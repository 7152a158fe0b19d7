import Foundation
import ScanBasics
import Testing

import SkySynthetic

@Suite struct PortableMathTests {
    @Test("the functions agree with the system's")
    func accuracy() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<10_000 {
            let x = generator.uniform(in: -600...600)
            #expect(abs(PortableMath.exp(x) / exp(x) - 1) < 1e-13)
            let y = exp(x / 2)
            #expect(abs(PortableMath.log(y) - log(y)) < 1e-13 * max(1, abs(x)))
        }
        #expect(PortableMath.exp(0) == 1 && PortableMath.log(1) == 0)
        #expect(PortableMath.exp(-1000) == 0)
        #expect(abs(PortableMath.log10(1000) - 3) < 1e-13 && abs(PortableMath.exp10(3) - 1000) < 1e-9)
    }

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
