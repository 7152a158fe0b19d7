/// Why a source has no position, moments and errors under a window: SExtractor's `FLAGS_WIN`.
///
/// SExtractor's manual lists no values. They were found from catalogues of source-extractor 2.25. That `strayed` needs
/// both offsets is from photutils (`SourceCatalog.centroid_win`), which follows SExtractor.
package struct WindowedFlags: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The moments are those of no ellipse.
    static let noEllipse = WindowedFlags(rawValue: 1)
    /// A moment along an axis is negative.
    static let negativeMoment = WindowedFlags(rawValue: 2)
    /// The weighted flux is not positive.
    static let noFlux = WindowedFlags(rawValue: 4)
    /// The window is more than a pixel from the barycentre along both axes, and outside the ellipse of the source.
    static let strayed = WindowedFlags(rawValue: 8)
}
