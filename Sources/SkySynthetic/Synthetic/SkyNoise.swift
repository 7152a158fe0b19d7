internal import CElementary
package import ScanBasics

/// Normal and Poisson deviates from the generator of one row.
package struct SkyNoise {
    package var generator: SplitMix64
    private var spare: Double?

    package init(generator: SplitMix64) { self.generator = generator }

    /// Returns a deviate of mean 0 and standard deviation 1, with Marsaglia's polar method (1964), which produces two
    /// deviates at a time.
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
            let factor = (-2 * Elementary.log(square) / square).squareRoot()
            spare = v * factor
            return u * factor
        }
    }

    /// Returns a number of electrons for an expectation of `mean`: exact (Knuth's product of uniforms) below 40,
    /// otherwise a normal deviate with the same mean and variance, not rounded.
    package mutating func poisson(mean: Double) -> Double {
        if mean <= 0 { return 0 }
        if mean >= 40 { return max(0, mean + mean.squareRoot() * normal()) }
        let limit = Elementary.exp(-mean)
        var product = generator.uniform()
        var count = 0.0
        while product > limit {
            product *= generator.uniform()
            count += 1
        }
        return count
    }
}
