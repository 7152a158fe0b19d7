internal import CElementary

/// The profile of a source from its pixels: areas above eight levels, and the width of its core.
struct IsophotalProfile {
    static let levelCount = 8

    /// Pixels above each level. The levels divide the range from the threshold to the peak evenly in magnitudes.
    private(set) var areas = [Int](repeating: 0, count: levelCount)
    /// Full width at half maximum of the Gaussian that fits the core, in pixels; 0 if none does.
    private(set) var fwhm = 0.0

    /// Samples of a source's pixel, background-subtracted, with the squared distance from the barycentre.
    struct Sample {
        var value: Float
        var squaredDistance: Double
    }

    /// - Parameters:
    ///   - samples: the source's pixels.
    ///   - threshold: the level above which pixels count.
    ///   - peak: the highest of them.
    ///   - ceiling: samples at or above do not count for the width.
    ///   - axes: product of the source's semi-axes, which limits the width.
    ///   - local: local background, which the width is free of.
    init(_ samples: [Sample], threshold: Float, peak: Float, ceiling: Float, axes: Double, local: Float = 0) {
        let levels = Self.levels(threshold: threshold, peak: peak)
        for sample in samples {
            for (index, level) in levels.enumerated() where sample.value > level { areas[index] += 1 }
        }
        let own = samples.map { Sample(value: $0.value - local, squaredDistance: $0.squaredDistance) }
        fwhm = Self.width(own, threshold: threshold, peak: peak - local, ceiling: ceiling - local, axes: axes)
    }

    private static func levels(threshold: Float, peak: Float) -> [Float] {
        guard threshold > 0, peak > threshold else { return Array(repeating: threshold, count: levelCount) }
        let exponents = (0..<levelCount).map { Double($0) / Double(levelCount) }
        var powers = exponents
        Elementary.powers(of: Double(peak) / Double(threshold), exponents: exponents, into: &powers, count: levelCount)
        return powers.map { Float(Double(threshold) * $0) }
    }

    /// The width by a linear fit of the logarithm of the samples against the squared distance: the line of a Gaussian.
    ///
    /// Only samples above a fifth of the peak count, by the square of their value, which is the inverse variance of the
    /// logarithm under constant noise. The width is reduced by that of a pixel.
    private static func width(
        _ samples: [Sample], threshold: Float, peak: Float, ceiling: Float, axes: Double
    ) -> Double {
        let floor = max(peak / 5, threshold)
        var (sum, sumX, sumXX, sumY, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for sample in samples where sample.value > floor && sample.value < ceiling {
            let value = Double(sample.value)
            let (weight, x, y) = (value * value, sample.squaredDistance, Elementary.log(value))
            sum += weight
            sumX += weight * x
            sumXX += weight * x * x
            sumY += weight * y
            sumXY += weight * x * y
        }
        let determinant = sum * sumXX - sumX * sumX
        // Samples at one distance alone have no slope, apart from rounding.
        guard determinant > 1e-9 * sum * sumXX else { return 0 }
        // A Gaussian has the slope -1 / (2 sigma²).
        let slope = -(sum * sumXY - sumX * sumY) / determinant
        let least = 1 / (13 * axes)
        let width = 2 * Elementary.log(2.0).squareRoot() / max(slope, least).squareRoot()
        return width > 0 ? width - 1 / (4 * width) : 0
    }
}
