/// What columns with SExtractor's names depend on besides the measurements of an image.
public struct SExtractorSettings: Codable, Hashable, Sendable {
    /// Magnitude of a flux of 1: MAG_ZEROPOINT.
    public var zeroPoint = 0.0
    /// Level from which a source is flagged as saturated, unless the header has ``saturationKeyword``: SATUR_LEVEL.
    public var saturation = 50_000.0
    /// SATUR_KEY.
    public var saturationKeyword = "SATURATE"
    /// Side of a pixel in arcseconds; 0: that of the header's coordinates. PIXEL_SCALE.
    public var pixelScale = 0.0
    /// What ``pixelScale`` 0 is for an image without coordinates.
    public var pixelScaleWithoutCoordinates = 1.0
    /// Width of stars in arcseconds, for CLASS_STAR: SEEING_FWHM.
    public var seeing = 1.2
    /// The list that sources are associated with; nil: none.
    public var association: Association?
    /// The columns, in order.
    public var columns = ColumnSelection()

    /// SExtractor's settings, without columns.
    public init() {}
}
