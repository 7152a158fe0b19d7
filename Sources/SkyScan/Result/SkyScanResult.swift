public import ScanNetwork
public import SkyExtraction
public import SkyFITS
package import SkyMeasurement
package import SkyTrails

/// The sources of an image, with statistics of the scan.
///
/// A `SkyScan` returns it. ``sources`` is the catalogue; `table(image:parameters:…)` converts it to a table with the
/// columns of SEP or of SExtractor, and `append(to:…)` writes check images. ``tally`` has the work of each system, and
/// ``missing`` the sectors without results.
public struct SkyScanResult: Sendable {
    /// The sources, in the order of the catalogue.
    public package(set) var sources: SourceTable
    /// Number of detections that cleaning removed.
    public let removed: Int
    /// Median background of the image, in the image's unit.
    public let globalLevel: Float
    /// Median noise of the image, in the image's unit.
    public let globalNoise: Float
    /// Variance of a pixel with weight 1, in the image's unit squared, or nil without a weight map.
    public let varianceScale: Double?
    /// Number of pixels that are not finite or are excluded by mask or weight.
    public let maskedPixels: Int
    /// Number of bands into which the image was divided.
    public let bands: Int
    /// Work of the systems, and missing sectors.
    public let tally: ScanTally
    /// Participating nodes with a different arithmetic, by the names of their systems.
    public var differentNodes: [String: NodeInfo] = [:]

    /// Measurements and other data for columns and check images, or nil in a result that was created without a scan.
    package var measured: Measured?

    /// The trails that were found, or nil if none were looked for.
    package internal(set) var trails: [Trail]?

    /// Fluxes at given positions, which are then the only contents of ``sources``, or nil if no positions were given.
    package var forced: ForcedTable?

    /// Measurements, pixels and background of the sources.
    package struct Measured: Sendable {
        /// Measured quantities; empty if none were requested.
        package var table: MeasurementTable
        /// Pixels of each source, if the parameters require them.
        package var pixels: PixelRuns
        /// Pixels of sources that cleaning removed, with the sources that absorbed them.
        package var absorbed: PixelRuns
        /// Whether each run of ``absorbed`` is excluded from apertures, see ``CatalogAssembly/hidden``.
        package var hidden: [Bool] = []
        /// All pixels above the threshold, if requested.
        package var detected: PixelRuns?
        package var background: BackgroundModel
        /// The coarse image, if trails are looked for.
        package var coarse: CoarseImage?
        /// Number of the island of each source, from 1.
        package var parents: [Int32]
    }

    /// Sectors that could not be scanned; the catalogue is partial if there are any.
    public var missing: [MissingSector] { tally.missing }
}

/// A sector that could not be scanned.
public struct MissingSector: Sendable {
    /// The step in which the sector failed.
    public let step: ScanStep
    /// Pixel range of the sector.
    public let rect: PixelRect
    /// Error message of the last attempt.
    public let reason: String
    /// Last lines of the log of the node on which the last attempt failed, each prefixed with the node's name.
    public var log: [String] = []
}
