/// Settings on which columns with SExtractor's names depend, in addition to the measurements of an image.
public struct SExtractorSettings: Codable, Hashable, Sendable {
    /// Magnitude of a flux of 1: SExtractor's MAG_ZEROPOINT.
    public var zeroPoint = 0.0
    /// Level at which a source is flagged as saturated, unless the header has ``saturationKeyword``: SATUR_LEVEL.
    public var saturation = 50_000.0
    /// Keyword of the saturation level in the header: SATUR_KEY.
    public var saturationKeyword = "SATURATE"
    /// Side of a pixel in arcseconds, or 0 to derive it from the header's coordinates: PIXEL_SCALE.
    public var pixelScale = 0.0
    /// Side of a pixel in arcseconds if ``pixelScale`` is 0 and the image has no coordinates.
    public var pixelScaleWithoutCoordinates = 1.0
    /// Full width at half maximum of stars in arcseconds, for CLASS_STAR: SEEING_FWHM.
    public var seeing = 1.2
    /// List of positions with which sources are associated, or nil for none.
    public var association: Association?
    /// The columns of the catalogue, in order.
    public var columns = ColumnSelection()

    /// Creates SExtractor's default settings without columns.
    public init() {}
}
