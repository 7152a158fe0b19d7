/// Sources as a struct of arrays: one element per source in each column. Names and meanings are SEP's.
///
/// Pixel coordinates are 0-based: the centre of the image's first pixel is (0, 0).
public struct SourceTable: Codable, Equatable, Sendable {
    /// Detection threshold at the source, in the image's units.
    public var thresh: [Float] = []
    /// Pixels of the source.
    public var npix: [Int32] = []
    /// Pixels of the source that are above the threshold before smoothing.
    public var tnpix: [Int32] = []
    /// First column.
    public var xmin: [Int32] = []
    /// Last column.
    public var xmax: [Int32] = []
    /// First row.
    public var ymin: [Int32] = []
    /// Last row.
    public var ymax: [Int32] = []
    /// Barycentre, column.
    public var x: [Double] = []
    /// Barycentre, row.
    public var y: [Double] = []
    /// Second moment along x, in pixels squared.
    public var x2: [Double] = []
    /// Second moment along y, in pixels squared.
    public var y2: [Double] = []
    /// Second mixed moment, in pixels squared.
    public var xy: [Double] = []
    /// Variance of the barycentre along x, from the noise, in pixels squared.
    public var errx2: [Double] = []
    /// Variance of the barycentre along y, in pixels squared.
    public var erry2: [Double] = []
    /// Covariance of the barycentre, in pixels squared.
    public var errxy: [Double] = []
    /// Semi-major axis of the moments' ellipse, in pixels.
    public var a: [Float] = []
    /// Semi-minor axis, in pixels.
    public var b: [Float] = []
    /// Position angle of the major axis from the x axis towards y, in radians.
    public var theta: [Float] = []
    /// Coefficient of the ellipse for x squared.
    public var cxx: [Float] = []
    /// Coefficient of the ellipse for y squared.
    public var cyy: [Float] = []
    /// Coefficient of the ellipse for x times y.
    public var cxy: [Float] = []
    /// Sum of the source's smoothed pixels.
    public var cflux: [Float] = []
    /// Sum of the source's pixels.
    public var flux: [Float] = []
    /// Highest smoothed pixel.
    public var cpeak: [Float] = []
    /// Highest pixel.
    public var peak: [Float] = []
    /// Column of the highest smoothed pixel.
    public var xcpeak: [Int32] = []
    /// Row of the highest smoothed pixel.
    public var ycpeak: [Int32] = []
    /// Column of the highest pixel.
    public var xpeak: [Int32] = []
    /// Row of the highest pixel.
    public var ypeak: [Int32] = []
    /// Extraction flags: 1 deblended, 2 cut by the image's edge, 8 x and y fully correlated.
    public var flag: [Int16] = []
    /// Measurements in apertures.
    public var photometry = Photometry()

    /// A table without sources.
    public init() {}

    /// Number of sources.
    public var count: Int { x.count }
}

/// Fluxes in apertures, one element per source in each column.
public struct Photometry: Codable, Equatable, Sendable {
    /// Kron radius in units of the ellipse's axes; 0 where it has no meaning.
    public var kronRadius: [Double] = []
    /// Flags of the Kron radius.
    public var kronFlag: [Int16] = []
    /// Flux in the ellipse of ``ScanParameters/kronFactor`` Kron radii, at least ``ScanParameters/kronMinimum`` semi-axes;
    /// not a number where ``flagAuto`` has the bit 256.
    public var fluxAuto: [Double] = []
    /// Error of ``fluxAuto``.
    public var fluxErrAuto: [Double] = []
    /// Flags of ``fluxAuto``.
    public var flagAuto: [Int16] = []
    /// Flux in the circle of ``ScanParameters/apertureRadius``.
    public var fluxAper: [Double] = []
    /// Error of ``fluxAper``.
    public var fluxErrAper: [Double] = []
    /// Flags of ``fluxAper``.
    public var flagAper: [Int16] = []
    /// Radius in pixels of the circle that holds half of the flux within six semi-major axes.
    public var fluxRadius: [Double] = []

    /// No measurement.
    public init() {}

    /// Number of sources.
    public var count: Int { kronRadius.count }
}
