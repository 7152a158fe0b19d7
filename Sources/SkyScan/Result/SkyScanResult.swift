public import ScanNetwork
public import SkyExtraction
public import SkyFITS
package import SkyMeasurement

/// The sources of an image, with statistics of the scan.
public struct SkyScanResult: Sendable {
    /// The sources, in the order of the catalogue.
    public let sources: SourceTable
    /// Detections that cleaning removed.
    public let removed: Int
    /// Median background of the image, in the image's unit.
    public let globalLevel: Float
    /// Median noise of the image, in the image's unit.
    public let globalNoise: Float
    /// Variance of a pixel of weight 1, in the image's unit squared; nil without a weight map.
    public let varianceScale: Double?
    /// Pixels excluded by mask or weight, or because they are not finite.
    public let maskedPixels: Int
    /// Number of bands.
    public let bands: Int
    /// Shares of the systems and missing sectors.
    public let tally: ScanTally
    /// Nodes that took part although they compute differently, by the names of their systems.
    public var differentNodes: [String: NodeInfo] = [:]

    /// Measurements, and what columns and images need besides; nil in a result that was made without a scan.
    package var measured: Measured?

    /// Fluxes at given positions, which then are the only contents of ``sources``; nil if none were given.
    package var forced: ForcedTable?

    /// Measurements, pixels and background.
    package struct Measured: Sendable {
        /// Empty if nothing was requested.
        package var table: MeasurementTable
        /// The pixels of each source, if the parameters need them.
        package var pixels: PixelRuns
        /// The pixels of sources that cleaning removed, with the sources that they are due to.
        package var absorbed: PixelRuns
        /// Whether each run of ``absorbed`` belongs to no aperture, see ``CatalogAssembly/hidden``.
        package var hidden: [Bool] = []
        /// All pixels above the threshold, if they were requested.
        package var detected: PixelRuns?
        package var background: BackgroundModel
        /// Number of each source's island, from 1.
        package var parents: [Int32]
    }

    /// Sectors that could not be scanned; the catalogue is partial if there are any.
    public var missing: [MissingSector] { tally.missing }
}

/// A sector that could not be scanned.
public struct MissingSector: Sendable {
    /// The step that failed there.
    public let step: ScanStep
    /// Pixels of the sector.
    public let rect: PixelRect
    /// The last attempt's error, in words.
    public let reason: String
    /// The last lines of the log of the node on which the last attempt failed, each after the node's name.
    public var log: [String] = []
}
