/// A star or galaxy of a synthetic sky, as the truth knows it.
public struct SyntheticSource: Equatable, Sendable {
    struct Direction: Equatable, Sendable {
        var cosine = 1.0
        var sine = 0.0
    }

    /// What it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A point source of ordinary brightness.
        case star
        /// A disk of ordinary size.
        case galaxy
        /// A point source with wings that fills pixels and bleeds along its column.
        case brightStar = "bright-star"
        /// A disk larger than a band's halo.
        case bigGalaxy = "big-galaxy"

        var isStar: Bool { self == .star || self == .brightStar }
    }

    /// From 1, in order of ``y``, then ``x``.
    public var number: Int
    /// What it is.
    public var kind: Kind
    /// Column of the centre; that of the first pixel's centre is 0.
    public var x: Double
    /// Row of the centre; that of the first pixel's centre is 0.
    public var y: Double
    /// Magnitude that belongs to ``flux``.
    public var magnitude: Double
    /// All its light, in counts (ADU).
    public var flux: Double
    /// Scale length of a galaxy's disk along its longer axis, in pixels, before the seeing; 0 for a star.
    public var scaleLength: Double
    /// Shorter axis by longer axis; 1 for a star.
    public var axisRatio: Double
    /// Cosine and sine of the angle from the x axis to the longer axis.
    var direction: Direction
    /// Flux over its noise in the profile's equivalent noise area; see ``SyntheticSky/truthDescription``.
    public var signalToNoise: Double
}
