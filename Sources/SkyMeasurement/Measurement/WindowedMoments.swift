internal import CElementary
internal import CSkyKernel

/// Position, moments and flux of a source under a Gaussian window, as SExtractor's manual defines them.
///
/// The window follows the source: its centre moves by twice the offset of the weighted barycentre until that is small.
package struct WindowedMoments {
    /// Centre, in pixels of the cut-out.
    package private(set) var x: Double
    package private(set) var y: Double
    /// Integrations of the centre; 17 if it did not converge.
    package private(set) var iterations = 0
    package private(set) var flags: WindowedFlags = []
    package private(set) var x2 = 0.0, y2 = 0.0, xy = 0.0
    package private(set) var errX2 = 0.0, errY2 = 0.0, errXY = 0.0
    package private(set) var flux = 0.0
    package private(set) var fluxErr = 0.0
    /// The farthest that windows reached: columns and rows of the cut-out, perhaps beyond it.
    package private(set) var reach: (x: ClosedRange<Double>, y: ClosedRange<Double>)

    private static let mostIterations = 16
    /// Offset, in pixels, below which the centre is final.
    private static let precision = 1e-4
    /// Determinant of the moments below which the variance of positions within a pixel is added, as for barycentres.
    private static let leastDeterminant = 0.00694
    /// Variance of a uniform distribution over one pixel, in pixels squared.
    private static let pixelVariance = 1.0 / 12
    /// Radius of integration in units of the window's sigma.
    package static let radius = 4.0

    private let cutout: PixelGrid
    private let sigma: Double

    /// Samples and noise that are integrated.
    package struct PixelGrid {
        package var pixels: UnsafePointer<Float>
        /// Not 0 where a pixel is replaced by the one on the other side of the window's centre; nil if none is.
        package var foreign: UnsafePointer<UInt8>?
        package var noise: UnsafePointer<Float>?
        package var globalNoise: Double
        package var gain: Double
        package var width: Int
        package var height: Int

        /// The sample of a pixel, and the offset of its noise; `opposite` has the sums of columns and of rows of a pixel
        /// and its opposite.
        @inline(__always)
        package func sample(_ column: Int, _ row: Int, opposite: (x: Int, y: Int)) -> (value: Double, offset: Int) {
            let offset = row * width + column
            guard let foreign, foreign[offset] != 0 else { return (Double(pixels[offset]), offset) }
            let (mirrorX, mirrorY) = (opposite.x - column, opposite.y - row)
            // Without an opposite the noise is that which apertures take there.
            guard 0..<width ~= mirrorX, 0..<height ~= mirrorY, foreign[mirrorY * width + mirrorX] == 0 else {
                return (0, offset)
            }
            let mirror = mirrorY * width + mirrorX
            return (Double(pixels[mirror]), mirror)
        }
    }

    /// Integrates around `x`, `y` with a window of this sigma, in pixels.
    package init(_ cutout: PixelGrid, x: Double, y: Double, sigma: Double) {
        (self.cutout, self.x, self.y, self.sigma) = (cutout, x, y, sigma)
        let half = Self.radius * sigma
        reach = (x - half...x + half, y - half...y + half)
        measure(around: findCentre())
    }

    /// - Returns: the centre of the last window that was integrated.
    private mutating func findCentre() -> (x: Double, y: Double) {
        var last = (x, y)
        for iteration in 1...Self.mostIterations {
            (iterations, last) = (iteration, (x, y))
            var (sum, sumX, sumY) = (0.0, 0.0, 0.0)
            forEachPixel(around: last) { sample, _, weight, dx, dy in
                let value = weight * sample
                sum += value
                sumX += value * dx
                sumY += value * dy
            }
            guard sum > 0 else { return last }
            let (stepX, stepY) = (sumX / sum, sumY / sum)
            (x, y) = (x + 2 * stepX, y + 2 * stepY)
            let half = Self.radius * sigma
            reach.x = min(reach.x.lowerBound, x - half)...max(reach.x.upperBound, x + half)
            reach.y = min(reach.y.lowerBound, y - half)...max(reach.y.upperBound, y + half)
            if stepX * stepX + stepY * stepY <= Self.precision * Self.precision { return last }
        }
        iterations += 1
        return last
    }

    /// Moments, flux and errors are those of the last window, as in SExtractor.
    private mutating func measure(around centre: (x: Double, y: Double)) {
        var (sum, sumX, sumY, sumXX, sumYY, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        var (variance, varianceXX, varianceYY, varianceXY) = (0.0, 0.0, 0.0, 0.0)
        forEachPixel(around: centre) { sample, offset, weight, dx, dy in
            let value = weight * sample
            sum += value
            sumX += value * dx
            sumY += value * dy
            sumXX += value * dx * dx
            sumYY += value * dy * dy
            sumXY += value * dx * dy
            let noise = cutout.noise.map { Double($0[offset]) } ?? cutout.globalNoise
            var sampleVariance = noise * noise
            if cutout.gain > 0, sample > 0 { sampleVariance += sample / cutout.gain }
            let error = weight * weight * sampleVariance
            variance += error
            varianceXX += error * (dx * dx + Self.pixelVariance)
            varianceYY += error * (dy * dy + Self.pixelVariance)
            varianceXY += error * dx * dy
        }
        flux = sum
        fluxErr = variance.squareRoot()
        if sum <= 0 { flags.insert(.noFlux) }
        guard sum != 0 else { return }
        let (meanX, meanY) = (sumX / sum, sumY / sum)
        x2 = sumXX / sum - meanX * meanX
        y2 = sumYY / sum - meanY * meanY
        xy = sumXY / sum - meanX * meanY
        if x2 * y2 < xy * xy { flags.insert(.noEllipse) }
        if x2 < 0 || y2 < 0 { flags.insert(.negativeMoment) }
        if x2 * y2 - xy * xy < Self.leastDeterminant { (x2, y2) = (x2 + Self.pixelVariance, y2 + Self.pixelVariance) }
        let factor = 4 / (sum * sum)
        errX2 = varianceXX * factor
        errY2 = varianceYY * factor
        errXY = varianceXY * factor
    }

    /// Calls `body` with the sample of each pixel of a window, the offset of its noise, its weight and its distance
    /// from the centre.
    @inline(__always)
    private func forEachPixel(
        around centre: (x: Double, y: Double),
        _ body: (_ sample: Double, _ offset: Int, _ weight: Double, _ dx: Double, _ dy: Double) -> Void
    ) {
        // Samples that cancel each other may move a window anywhere; so far away it holds no pixel.
        guard abs(centre.x) < 1e9, abs(centre.y) < 1e9 else { return }
        let limit = Self.radius * sigma
        // Half of a pixel's diagonal, rounded up.
        let (inside, outside) = (max(0, limit - 0.7072), limit + 0.7072)
        let (inside2, outside2, factor) = (inside * inside, outside * outside, -1 / (2 * sigma * sigma))
        func range(_ centre: Double, _ count: Int) -> Range<Int> {
            let low = min(max(0, (centre - limit - 1).rounded(.down)), Double(count))
            let high = min(max(low, (centre + limit + 2).rounded(.down)), Double(count))
            return Int(low)..<Int(high)
        }
        let columns = range(centre.x, cutout.width)
        let opposite = (SourceCutout.opposite(centre.x), SourceCutout.opposite(centre.y))
        let rows = range(centre.y, cutout.height)
        let count = columns.count + rows.count
        // The Gaussian of a pixel is the product of those of its column and its row.
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { numbers in
            guard let exponents = numbers.baseAddress else { return }
            for (index, column) in columns.enumerated() {
                let dx = Double(column) - centre.x
                (exponents + index).initialize(to: dx * dx * factor)
            }
            for (index, row) in rows.enumerated() {
                let dy = Double(row) - centre.y
                (exponents + columns.count + index).initialize(to: dy * dy * factor)
            }
            let columnWeights = exponents + count
            Elementary.exps(of: exponents, into: columnWeights, count: count)
            for row in rows {
                let dy = Double(row) - centre.y
                let rowWeight = columnWeights[columns.count + row - rows.lowerBound]
                for column in columns {
                    let dx = Double(column) - centre.x
                    let squared = dx * dx + dy * dy
                    if squared > outside2 { continue }
                    var weight = columnWeights[column - columns.lowerBound] * rowWeight
                    if squared > inside2 { weight *= skyfarm_disc_share(dx, dy, limit) }
                    let (sample, offset) = cutout.sample(column, row, opposite: opposite)
                    body(sample, offset, weight, dx, dy)
                }
            }
        }
    }
}
