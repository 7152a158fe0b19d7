import Foundation
import ScanBasics

/// Gaussian stars on an even sky, with noise from a seed.
struct StarField {
    struct Star {
        var x: Double, y: Double
        var peak = 3000.0
        /// Standard deviations in pixels along ``angle`` and across it.
        var axes = (1.7, 1.7)
        /// In degrees.
        var angle = 0.0
    }

    /// Columns and rows.
    var side = 200
    var seed: UInt64 = 17
    var level = 100.0
    /// Standard deviation of the noise, approximately.
    var noise = 5.0
    var stars: [Star]

    /// The samples, row by row.
    var samples: [Float] {
        var random = SplitMix64(seed: seed)
        var samples = (0..<side * side).map { _ in
            (0..<6).reduce(level) { sum, _ in sum + Double.random(in: -0.7...0.7, using: &random) * noise }
        }
        for star in stars {
            let (cosine, sine) = (cos(star.angle * .pi / 180), sin(star.angle * .pi / 180))
            for place in samples.indices {
                let (dx, dy) = (Double(place % side) - star.x, Double(place / side) - star.y)
                let (u, v) = ((dx * cosine + dy * sine) / star.axes.0, (dy * cosine - dx * sine) / star.axes.1)
                samples[place] += star.peak * exp(-(u * u + v * v) / 2)
            }
        }
        return samples.map { Float($0) }
    }
}
