package import SkyExtraction
package import SkyFITS

/// The pixels around a source that a point spread function is fitted to.
package struct PointSpreadStamp {
    /// The pixels, in image coordinates.
    package var rect: PixelRect
    /// Samples without background, row by row.
    package var values: [Double]
    /// Their variances; 0: the pixel does not count.
    package var variances: [Double]

    package init(rect: PixelRect, values: [Double], variances: [Double]) {
        (self.rect, self.values, self.variances) = (rect, values, variances)
    }
}

/// The fit of a point spread function to the pixels of a source: flux and position of the least squares.
///
/// Found by experiment to be SExtractor's: the pixels are weighted by the inverse of their variance, noise and photons of
/// the sample; pixels of other sources do not count; the derivatives of the function are differences over two pixels.
package struct PointSpreadFit {
    /// Position, in pixels of the image from 0: the barycentre if there is no fit.
    package private(set) var x: Double
    package private(set) var y: Double
    /// Flux and its error; 0 if there is no fit.
    package private(set) var flux = 0.0
    package private(set) var fluxErr = 0.0
    /// Steps of the position.
    package private(set) var iterations = 0
    /// Sum of the squared residuals in units of the variances, per degree of freedom.
    package private(set) var chi2 = 0.0
    /// Variances and covariance of the position, in pixels squared.
    package private(set) var errX2 = 0.0, errY2 = 0.0, errXY = 0.0

    private static let mostIterations = 12
    /// Longest step along an axis, in pixels.
    private static let longestStep = 0.5
    /// Step, in pixels, below which the position is final.
    private static let precision = 1e-4
    /// Parameters: the flux, and its products with the offsets along x and y.
    private static let parameters = 3

    /// - Parameters:
    ///   - samples: the function at the source.
    ///   - stamp: the pixels.
    ///   - x: the barycentre of the source, in pixels of the image from 0.
    ///   - y: the same along y.
    ///   - limit: the farthest that the position moves along an axis, in pixels.
    package init(_ samples: PointSpreadSamples, _ stamp: PointSpreadStamp, x: Double, y: Double, limit: Double) {
        (self.x, self.y) = (x, y)
        let (left, top) = (Double(stamp.rect.x.lowerBound), Double(stamp.rect.y.lowerBound))
        while iterations < Self.mostIterations {
            iterations += 1
            let equations = NormalEquations(samples, stamp, x: self.x - left, y: self.y - top)
            guard let solution = equations.solution, solution.flux > 0 else {
                fail(x, y)
                return
            }
            let (stepX, stepY) = (solution.slopeX / solution.flux, solution.slopeY / solution.flux)
            let steps = -Self.longestStep...Self.longestStep
            self.x += min(max(stepX, steps.lowerBound), steps.upperBound)
            self.y += min(max(stepY, steps.lowerBound), steps.upperBound)
            guard abs(self.x - x) <= limit, abs(self.y - y) <= limit else {
                fail(x, y)
                return
            }
            set(solution, equations)
            if abs(stepX) + abs(stepY) < Self.precision { return }
        }
    }

    private mutating func fail(_ x: Double, _ y: Double) {
        (self.x, self.y, flux, fluxErr, chi2) = (x, y, 0, 0, 0)
        (errX2, errY2, errXY) = (0, 0, 0)
    }

    private mutating func set(_ solution: NormalEquations.Solution, _ equations: NormalEquations) {
        flux = solution.flux
        fluxErr = solution.variances.flux.squareRoot()
        let squared = flux * flux
        errX2 = solution.variances.xx / squared
        errY2 = solution.variances.yy / squared
        errXY = solution.variances.xy / squared
        let freedom = equations.count - Self.parameters
        chi2 = freedom > 0 ? max(0, equations.squares - solution.explained) / Double(freedom) : 0
    }

    /// The linear equations of the least squares at one position.
    private struct NormalEquations {
        struct Solution {
            var flux: Double, slopeX: Double, slopeY: Double
            var variances: (flux: Double, xx: Double, yy: Double, xy: Double)
            /// The part of the samples' squares that the solution explains.
            var explained: Double
        }

        /// Upper triangle of the matrix, by rows.
        private var matrix = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        private var right = (0.0, 0.0, 0.0)
        /// Sum of the squares of the samples in units of the variances.
        private(set) var squares = 0.0
        /// Pixels that count.
        private(set) var count = 0

        init(_ samples: PointSpreadSamples, _ stamp: PointSpreadStamp, x: Double, y: Double) {
            let (columns, rows) = (stamp.rect.width, stamp.rect.height)
            // With a pixel more on each side, for the differences.
            let line = columns + 2
            let model = samples.pixels(x: x + 1, y: y + 1, columns: line, rows: rows + 2)
            for row in 0..<rows {
                for column in 0..<columns {
                    let variance = stamp.variances[row * columns + column]
                    if variance <= 0 { continue }
                    let place = (row + 1) * line + column + 1
                    let (weight, sample) = (1 / variance, stamp.values[row * columns + column])
                    let value = model[place]
                    let slopeX = (model[place - 1] - model[place + 1]) / 2
                    let slopeY = (model[place - line] - model[place + line]) / 2
                    matrix.0 += weight * value * value
                    matrix.1 += weight * value * slopeX
                    matrix.2 += weight * value * slopeY
                    matrix.3 += weight * slopeX * slopeX
                    matrix.4 += weight * slopeX * slopeY
                    matrix.5 += weight * slopeY * slopeY
                    right.0 += weight * value * sample
                    right.1 += weight * slopeX * sample
                    right.2 += weight * slopeY * sample
                    squares += weight * sample * sample
                    count += 1
                }
            }
        }

        /// Nil if the pixels do not determine it.
        var solution: Solution? {
            let (a, b, c, d, e, f) = matrix
            // Cofactors of the matrix.
            let (aa, bb, cc) = (d * f - e * e, c * e - b * f, b * e - c * d)
            let (dd, ee, ff) = (a * f - c * c, b * c - a * e, a * d - b * b)
            let determinant = a * aa + b * bb + c * cc
            guard determinant > 1e-9 * a * d * f else { return nil }
            let flux = (aa * right.0 + bb * right.1 + cc * right.2) / determinant
            let slopeX = (bb * right.0 + dd * right.1 + ee * right.2) / determinant
            let slopeY = (cc * right.0 + ee * right.1 + ff * right.2) / determinant
            return Solution(
                flux: flux, slopeX: slopeX, slopeY: slopeY,
                variances: (aa / determinant, dd / determinant, ff / determinant, ee / determinant),
                explained: flux * right.0 + slopeX * right.1 + slopeY * right.2)
        }
    }
}
