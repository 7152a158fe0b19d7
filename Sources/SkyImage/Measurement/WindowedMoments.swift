internal import CSkyfarm

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Position, moments and flux of a source under a Gaussian window, as SExtractor's manual defines them.
///
/// The window follows the source: its centre moves by twice the offset of the weighted barycentre until that is small.
struct WindowedMoments {
    /// Centre, in pixels of the cut-out.
    private(set) var x: Double
    private(set) var y: Double
    /// Integrations of the centre.
    private(set) var iterations = 0
    /// Whether the window holds no positive flux, so that the centre is the last one that had a meaning.
    private(set) var hasFailed = false
    private(set) var x2 = 0.0, y2 = 0.0, xy = 0.0
    private(set) var errX2 = 0.0, errY2 = 0.0, errXY = 0.0
    private(set) var flux = 0.0
    private(set) var fluxErr = 0.0
    /// The farthest that windows reached: columns and rows of the cut-out, perhaps beyond it.
    private(set) var reach: (x: ClosedRange<Double>, y: ClosedRange<Double>)

    private static let mostIterations = 16
    /// Offset, in pixels, below which the centre is final.
    private static let precision = 1e-4
    /// Radius of integration in units of the window's sigma.
    static let radius = 4.0

    private let cutout: PixelGrid
    private let sigma: Double

    /// Samples and noise that are integrated.
    struct PixelGrid {
        var pixels: UnsafePointer<Float>
        var noise: UnsafePointer<Float>?
        var globalNoise: Double
        var gain: Double
        var width: Int
        var height: Int
    }

    /// Integrates around `x`, `y` with a window of this sigma, in pixels.
    init(_ cutout: PixelGrid, x: Double, y: Double, sigma: Double) {
        (self.cutout, self.x, self.y, self.sigma) = (cutout, x, y, sigma)
        let half = Self.radius * sigma
        reach = (x - half...x + half, y - half...y + half)
        findCentre()
        measure()
    }

    private mutating func findCentre() {
        while iterations < Self.mostIterations {
            iterations += 1
            var (sum, sumX, sumY) = (0.0, 0.0, 0.0)
            forEachPixel { offset, weight, dx, dy in
                let value = weight * Double(cutout.pixels[offset])
                sum += value
                sumX += value * dx
                sumY += value * dy
            }
            guard sum > 0 else {
                hasFailed = true
                return
            }
            let (stepX, stepY) = (sumX / sum, sumY / sum)
            (x, y) = (x + 2 * stepX, y + 2 * stepY)
            let half = Self.radius * sigma
            reach.x = min(reach.x.lowerBound, x - half)...max(reach.x.upperBound, x + half)
            reach.y = min(reach.y.lowerBound, y - half)...max(reach.y.upperBound, y + half)
            if stepX * stepX + stepY * stepY <= Self.precision * Self.precision { return }
        }
    }

    private mutating func measure() {
        var (sum, sumX, sumY, sumXX, sumYY, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        var (variance, varianceXX, varianceYY, varianceXY) = (0.0, 0.0, 0.0, 0.0)
        forEachPixel { offset, weight, dx, dy in
            let sample = Double(cutout.pixels[offset])
            let value = weight * sample
            sum += value
            sumX += value * dx
            sumY += value * dy
            sumXX += value * dx * dx
            sumYY += value * dy * dy
            sumXY += value * dx * dy
            let noise = cutout.noise.map { Double($0[offset]) } ?? cutout.globalNoise
            var pixelVariance = noise * noise
            if cutout.gain > 0, sample > 0 { pixelVariance += sample / cutout.gain }
            let error = weight * weight * pixelVariance
            variance += error
            // With the variance of positions within a pixel.
            varianceXX += error * (dx * dx + 1 / 12)
            varianceYY += error * (dy * dy + 1 / 12)
            varianceXY += error * dx * dy
        }
        flux = sum
        fluxErr = variance.squareRoot()
        guard sum > 0 else {
            hasFailed = true
            return
        }
        let (meanX, meanY) = (sumX / sum, sumY / sum)
        x2 = sumXX / sum - meanX * meanX
        y2 = sumYY / sum - meanY * meanY
        xy = sumXY / sum - meanX * meanY
        let factor = 4 / (sum * sum)
        errX2 = varianceXX * factor
        errY2 = varianceYY * factor
        errXY = varianceXY * factor
    }

    /// Calls `body` with the offset of each pixel of the window, its weight and its distance from the centre.
    @inline(__always)
    private func forEachPixel(_ body: (_ offset: Int, _ weight: Double, _ dx: Double, _ dy: Double) -> Void) {
        let limit = Self.radius * sigma
        // Half of a pixel's diagonal, rounded up.
        let (inside, outside) = (max(0, limit - 0.7072), limit + 0.7072)
        let (inside2, outside2, factor) = (inside * inside, outside * outside, -1 / (2 * sigma * sigma))
        func range(_ centre: Double, _ count: Int) -> Range<Int> {
            let low = min(max(0, (centre - limit - 1).rounded(.down)), Double(count))
            let high = min(max(low, (centre + limit + 2).rounded(.down)), Double(count))
            return Int(low)..<Int(high)
        }
        let columns = range(x, cutout.width)
        for row in range(y, cutout.height) {
            let dy = Double(row) - y
            for column in columns {
                let dx = Double(column) - x
                let squared = dx * dx + dy * dy
                if squared > outside2 { continue }
                var weight = exp(squared * factor)
                if squared > inside2 { weight *= skyfarm_disc_share(dx, dy, limit) }
                body(row * cutout.width + column, weight, dx, dy)
            }
        }
    }
}
