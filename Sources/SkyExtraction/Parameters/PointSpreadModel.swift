internal import CElementary
internal import CXXHash
package import SkyFITS

/// A point spread function that varies over the image: PSFEx's model, samples that are polynomials of the position.
public struct PointSpreadModel: Codable, Hashable, Sendable {
    /// Columns and rows of samples.
    public var width: Int, height: Int
    /// Distance of samples, in pixels of the image.
    public var step: Double
    /// Full width at half maximum, in pixels of the image.
    public var fwhm: Double
    /// Degree of the polynomials of the position; 0: the function does not vary.
    public var degree = 0
    /// The position, from 1, at which the variables of the polynomials are 0.
    public var originX = 0.0, originY = 0.0
    /// Pixels per unit of these variables.
    public var scaleX = 1.0, scaleY = 1.0
    /// The samples that each term of the polynomials is multiplied by, term by term, row by row. The terms are 1, x, x²,
    /// …, y, xy, …: powers of x first.
    public var samples: [Float]
    /// The same of the function convolved with an exponential disc, for SPREAD_MODEL; empty: it is not measured.
    public var extended: [Float] = []

    /// A function that does not vary.
    public init(width: Int, height: Int, step: Double, fwhm: Double, samples: [Float]) {
        (self.width, self.height, self.step, self.fwhm, self.samples) = (width, height, step, fwhm, samples)
    }

    /// Permitted numbers.
    package enum Limits {
        package static let side = 1...255
        package static let degree = 0...10
        /// Range of the distance of samples and of the width, in pixels.
        package static let length = 0.01...1000.0
    }

    /// Terms of the polynomials.
    public var termCount: Int { (degree + 1) * (degree + 2) / 2 }

    /// Refuses an inconsistent model.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        guard Limits.side.contains(width), Limits.side.contains(height), Limits.degree.contains(degree),
            Limits.length.contains(step), Limits.length.contains(fwhm), originX.isFinite, originY.isFinite,
            scaleX.isFinite, scaleX != 0, scaleY.isFinite, scaleY != 0,
            samples.count == width * height * termCount, samples.allSatisfy(\.isFinite),
            extended.isEmpty || extended.count == samples.count, extended.allSatisfy(\.isFinite)
        else { throw ScanSetupError("the model of the point spread function is inconsistent") }
    }

    /// Pixels on either side of a source that the function reaches.
    package var reach: Int { Int((Double(max(width, height)) * step / 2).rounded(.up)) + 1 }

    /// The function at a position in pixels from 1.
    package func local(x: Double, y: Double) -> PointSpreadSamples {
        PointSpreadSamples(width: width, height: height, step: step, values: sum(samples, x, y))
    }

    /// The function convolved with an exponential disc, at a position in pixels from 1; nil if there is none.
    package func localExtended(x: Double, y: Double) -> PointSpreadSamples? {
        if extended.isEmpty { return nil }
        return PointSpreadSamples(width: width, height: height, step: step, values: sum(extended, x, y))
    }

    private func sum(_ samples: [Float], _ x: Double, _ y: Double) -> [Double] {
        let area = width * height
        var sum = [Double](repeating: 0, count: area)
        for (term, factor) in terms((x - originX) / scaleX, (y - originY) / scaleY).enumerated() {
            for place in 0..<area { sum[place] += factor * Double(samples[term * area + place]) }
        }
        return sum
    }

    private func terms(_ x: Double, _ y: Double) -> [Double] {
        var terms: [Double] = []
        var powerY = 1.0
        for rows in 0...degree {
            var term = powerY
            for _ in 0...degree - rows {
                terms.append(term)
                term *= x
            }
            powerY *= y
        }
        return terms
    }

    // MARK: - Convolution with a disc

    /// Scale length of the disc of SPREAD_MODEL in widths of the function. SExtractor's manual says 1/16; by experiment
    /// on fields of three widths the program's values are those of a disc 1.088 times as large.
    private static let discScale = 0.068

    /// Adds ``extended``.
    public mutating func extend() {
        let kernel = Self.discKernel(scale: Self.discScale * fwhm / step, reach: max(width, height))
        let side = 2 * max(width, height) - 1
        extended = []
        extended.reserveCapacity(samples.count)
        for term in 0..<termCount {
            for place in 0..<width * height {
                let (column, row) = (place % width, place / width)
                var sum = 0.0
                for y in 0..<height {
                    let start = (row - y + side / 2) * side + column + side / 2
                    for x in 0..<width {
                        sum += Double(samples[(term * height + y) * width + x]) * kernel[start - x]
                    }
                }
                extended.append(Float(sum))
            }
        }
    }

    /// The disc exp(-r / scale) of flux 1 without frequencies that the samples do not hold: `reach` - 1 samples on either
    /// side of its centre, row by row. Its Fourier transform is (1 + (2 π k scale)²)^(-3/2).
    private static func discKernel(scale: Double, reach: Int) -> [Double] {
        let (period, side) = (2 * reach + 14, 2 * reach - 1)
        func frequency(_ index: Int) -> Double {
            Double(index <= period / 2 ? index : index - period) / Double(period)
        }
        let cosines = (0..<period).map { Elementary.cos(2 * .pi * Double($0) / Double(period)) }
        // Along y for each frequency of x, then along x; the transform is even in both.
        var rows = [Double](repeating: 0, count: period * side)
        for u in 0..<period {
            for place in 0..<side {
                var sum = 0.0
                for v in 0..<period {
                    let squared = frequency(u) * frequency(u) + frequency(v) * frequency(v)
                    let transform = Elementary.pow(1 + 4 * .pi * .pi * squared * scale * scale, -1.5)
                    sum += transform * cosines[abs(place - side / 2) * v % period]
                }
                rows[u * side + place] = sum
            }
        }
        var kernel = [Double](repeating: 0, count: side * side)
        for place in 0..<side * side {
            for u in 0..<period {
                kernel[place] += rows[u * side + place / side] * cosines[abs(place % side - side / 2) * u % period]
            }
            kernel[place] /= Double(period * period)
        }
        return kernel
    }
}

extension PointSpreadModel: CustomDebugStringConvertible {
    /// Its size and a checksum: of thousands of samples.
    public var debugDescription: String {
        let numbers = [step, fwhm, Double(degree), originX, originY, scaleX, scaleY] + samples.map(Double.init)
        let checksum = numbers.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
        return "PointSpreadModel(\(width) x \(height) x \(termCount), \(checksum))"
    }
}
