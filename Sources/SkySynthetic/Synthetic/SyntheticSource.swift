internal import ScanBasics

/// A star or galaxy of a synthetic sky, with its true properties.
public struct SyntheticSource: Equatable, Sendable {
    package struct Direction: Equatable, Sendable {
        var cosine = 1.0
        var sine = 0.0

        /// Draws a direction, without trigonometric functions.
        static func random(_ generator: inout SplitMix64) -> Direction {
            while true {
                let (x, y) = (2 * generator.uniform() - 1, 2 * generator.uniform() - 1)
                let square = x * x + y * y
                if square > 0.01, square <= 1 {
                    let length = square.squareRoot()
                    return Direction(cosine: x / length, sine: y / length)
                }
            }
        }
    }

    /// The kind of a source.
    public enum Kind: String, Sendable, CaseIterable {
        /// A point source of ordinary brightness.
        case star
        /// A disk of ordinary size.
        case galaxy
        /// A point source with wings that saturates pixels and bleeds along its column.
        case brightStar = "bright-star"
        /// A disk larger than a band's halo.
        case bigGalaxy = "big-galaxy"

        package var isStar: Bool { self == .star || self == .brightStar }
    }

    /// Number from 1, in order of ``y``, then ``x``.
    public var number: Int
    /// Kind of the source: an ordinary or an extreme star or galaxy.
    public var kind: Kind
    /// Column of the centre; the first pixel's centre is at 0.
    public var x: Double
    /// Row of the centre; the first pixel's centre is at 0.
    public var y: Double
    /// The magnitude that corresponds to ``flux``.
    public var magnitude: Double
    /// Total flux, in counts (ADU).
    public var flux: Double
    /// Scale length of a galaxy's disk along its major axis before the seeing, in pixels; 0 for a star.
    public var scaleLength: Double
    /// Ratio of minor to major axis; 1 for a star.
    public var axisRatio: Double
    /// Cosine and sine of the angle from the x axis to the major axis.
    package var direction: Direction
    /// Flux divided by its noise in the profile's equivalent noise area; see ``SyntheticSky/truthDescription``.
    public var signalToNoise: Double
}
