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

    /// Chooses the stretch from the values' median, the scatter around it and their 99.8th percentile. Values that are
    /// not finite are ignored.
    public init(_ values: [Float]) {
        // A sample of the pixels suffices for large images.
        let step = max(1, values.count / 200_000)
        let sample = stride(from: 0, to: values.count, by: step).map { values[$0] }.filter(\.isFinite).sorted()
        guard let first = sample.first, let last = sample.last, first < last else {
            (black, white, softening) = (Double(sample.first ?? 0), Double(sample.first ?? 0) + 1, 1)
            return
        }
        let median = Double(Self.quantile(sample, 0.5))
        let deviations = sample.map { abs($0 - Float(median)) }.sorted()
        // For Gaussian noise, the median absolute deviation is 0.67 standard deviations.
        let scatter = 1.4826 * Double(Self.quantile(deviations, 0.5))
        black = scatter > 0 ? max(Double(first), median - 1.5 * scatter) : Double(first)
        let bright = Double(Self.quantile(sample, 0.998))
        white = max(bright, black + 8 * scatter) > black ? max(bright, black + 8 * scatter) : Double(last)
        softening = scatter > 0 ? 3 * scatter : (white - black) / 10
    }

    private static func quantile(_ sorted: [Float], _ share: Double) -> Float {
        sorted[Int(Double(sorted.count - 1) * share)]
    }

    /// Returns the shade of a value, from 0 (black) to 255; 0 for NaN.
    public func shade(_ value: Float) -> UInt8 {
        guard !value.isNaN else { return 0 }
        let height = min(max(Double(value), black), white) - black
        return UInt8((255 * asinh(height / softening) / asinh((white - black) / softening)).rounded())
    }
}
