package import ScanBasics

/// Normal and Poisson deviates from one row's generator.
package struct SkyNoise {
    package var generator: SplitMix64
    private var spare: Double?

    package init(generator: SplitMix64) { self.generator = generator }

    /// Mean 0, deviation 1; Marsaglia's polar method (1964), which produces two deviates at a time.
    package mutating func normal() -> Double {
        if let value = spare {
            spare = nil
            return value
        }
        while true {
            let u = 2 * generator.uniform() - 1
            let v = 2 * generator.uniform() - 1
            let square = u * u + v * v
            if square >= 1 || square == 0 { continue }
            let factor = (-2 * PortableMath.log(square) / square).squareRoot()
            spare = v * factor
            return u * factor
        }
    }

    /// Number of electrons for an expectation of `mean`: exact (Knuth's product of uniforms) below 40, above that a
    /// normal deviate of the same mean and variance, not rounded.
    package mutating func poisson(mean: Double) -> Double {
        if mean <= 0 { return 0 }
        if mean >= 40 { return max(0, mean + mean.squareRoot() * normal()) }
        let limit = PortableMath.exp(-mean)
        var product = generator.uniform()
        var count = 0.0
        while product > limit {
            product *= generator.uniform()
            count += 1
        }
        return count
    }
}
