import Foundation

/// Maps pixel values to shades such that faint and bright sources are visible together.
///
/// Black is slightly below the sky level; white is a level above which there are few pixels. Between them, shades
/// follow the inverse hyperbolic sine, linear near the noise and logarithmic above (Lupton, Gunn & Szalay 1999, AJ 118,
/// 1406).
public struct Stretch: Encodable, Equatable, Sendable {
    /// The value that is mapped to black.
    public let black: Double
    /// The value that is mapped to white.
    public let white: Double
    /// Height above black at which shades change from linear to logarithmic.
    public let softening: Double

    /// Number of values from which the stretch is chosen. The error of their median is 2 % of the noise, which is
    /// less than a shade.
    static let sampleCount = 5000

    /// Chooses the stretch from the values' median, the scatter around it and their 99.8th percentile. Values that are
    /// not finite are ignored.
    public init(_ values: [Float]) {
        // An odd step visits all columns of an image whose width is a power of two.
        let step = values.count / Self.sampleCount | 1
        var sample = stride(from: 0, to: values.count, by: step).map { values[$0] }.filter(\.isFinite)
        guard let first = sample.min(), let last = sample.max(), first < last else {
            (black, white, softening) = (Double(sample.first ?? 0), Double(sample.first ?? 0) + 1, 1)
            return
        }
        let bright = Double(Self.quantile(&sample, 0.998))
        let median = Double(Self.quantile(&sample, 0.5))
        var deviations = sample.map { abs($0 - Float(median)) }
        // For Gaussian noise, the median absolute deviation is 0.67 standard deviations.
        let scatter = 1.4826 * Double(Self.quantile(&deviations, 0.5))
        black = scatter > 0 ? max(Double(first), median - 1.5 * scatter) : Double(first)
        white = max(bright, black + 8 * scatter) > black ? max(bright, black + 8 * scatter) : Double(last)
        softening = scatter > 0 ? 3 * scatter : (white - black) / 10
    }

    /// Returns the value that this share of the values does not exceed. Changes their order, since sorting all of them
    /// takes ten times as long.
    private static func quantile(_ values: inout [Float], _ share: Double) -> Float {
        let place = Int(Double(values.count - 1) * share)
        return values.withUnsafeMutableBufferPointer { values in
            var (low, high) = (0, values.count - 1)
            while low < high {
                // Hoare's selection: values up to `right` are at most the pivot, those from `left` on at least the pivot.
                let pivot = values[(low + high) / 2]
                var (left, right) = (low, high)
                while left <= right {
                    while values[left] < pivot { left += 1 }
                    while values[right] > pivot { right -= 1 }
                    if left <= right {
                        values.swapAt(left, right)
                        (left, right) = (left + 1, right - 1)
                    }
                }
                if place <= right { high = right } else if place >= left { low = left } else { break }
            }
            return values[place]
        }
    }

    /// Returns the shade of a value, from 0 (black) to 255; 0 for NaN.
    public func shade(_ value: Float) -> UInt8 {
        value.isNaN ? 0 : shade(finite: Double(value))
    }

    private func shade(finite value: Double) -> UInt8 {
        let height = min(max(value, black), white) - black
        return UInt8((255 * asinh(height / softening) / asinh((white - black) / softening)).rounded())
    }

    /// Returns the shades of values; each is ``shade(_:)`` of its value.
    package func shades(_ values: [Float]) -> [UInt8] {
        let (black, white) = (black, white)
        // The inverse hyperbolic sine is computed once for each shade: `ends[shade]` is the least value above it. No value
        // is above the last one, not even infinity.
        let scale = asinh((white - black) / softening)
        var ends = (0..<255).map { (shade: Int) -> Double in
            let height = softening * sinh((Double(shade) + 0.5) / 255 * scale)
            return black + height
        }
        ends.append(.nan)
        // The shade at the beginning of equal intervals, from which few steps lead to that of a value. A thousandth of an
        // interval is for values that rounding moves into the next one.
        let intervals = 16_384
        let width = (white - black) / Double(intervals)
        var shade = 0
        let starts = (0..<intervals).map { interval -> UInt8 in
            while black + (Double(interval) - 1e-3) * width >= ends[shade] { shade += 1 }
            return UInt8(shade)
        }
        let places = intervalNumbers(values, intervals)
        return [UInt8](unsafeUninitializedCapacity: values.count) { shades, count in
            starts.withUnsafeBufferPointer { starts in
                ends.withUnsafeBufferPointer { ends in
                    for (index, place) in places.enumerated() {
                        let value = Double(values[index])
                        var shade = starts[Int(place)]
                        // Few values take this step, or further ones. What is no number takes none, and is black.
                        while value >= ends[Int(shade)] { shade &+= 1 }
                        shades[index] = shade
                    }
                }
            }
            count = values.count
        }
    }

    /// Returns the numbers of the intervals in which values are, of so many between black and white; or the next ones, for
    /// values at the end of an interval.
    private func intervalNumbers(_ values: [Float], _ count: Int) -> [UInt16] {
        let (black, factor, last) = (black, Double(count) / (white - black), Double(count - 1))
        return [UInt16](unsafeUninitializedCapacity: values.count) { places, initialized in
            // Without branches, which would be mispredicted: the compiler makes vector instructions of this. In the sum the
            // lowest bits are those of the integer. Of what is no number the place is 0.
            for index in values.indices {
                let place = min(max(0, (Double(values[index]) - black) * factor), last)
                places[index] = UInt16(truncatingIfNeeded: (place - 0.4999 + 0x1.8p52).bitPattern)
            }
            initialized = values.count
        }
    }
}
