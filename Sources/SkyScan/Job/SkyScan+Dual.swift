internal import ScanCluster
internal import SkyExtraction
internal import SkyFITS
internal import SkyMeasurement

/// The sources of an image, for their measurement in other images of the same size: SExtractor's dual image mode.
public struct Detections: Sendable {
    let assembly: CatalogAssembly
    package let width: Int
    package let height: Int
    /// Sectors of the image in which none could be detected.
    package let missing: [MissingSector]

    /// The detections of a scan whose parameters request measurements and detections; nil for another scan.
    /// - Parameters:
    ///   - result: of the scan.
    ///   - image: the image.
    public init?(_ result: SkyScanResult, of image: ImageSummary) {
        guard let measured = result.measured, let detected = measured.detected else { return nil }
        var assembly = CatalogAssembly(
            result.sources, pixels: measured.pixels, absorbed: measured.absorbed, hidden: measured.hidden,
            detected: detected)
        (assembly.parents, assembly.removed) = (measured.parents, result.removed)
        (self.assembly, missing) = (assembly, result.missing)
        (width, height) = (image.width, image.height)
    }
}

extension SkyScan {
    /// Measures sources that were detected in another image, in this one.
    ///
    /// Positions, shapes, pixels and Kron radii are those of the other image; background, noise and all fluxes those of
    /// this one.
    /// - Parameter detections: the sources.
    /// - Returns: the sources with their measurements.
    /// - Throws: as `run()`, and `ScanSetupError` for an image of another size.
    public func measure(_ detections: Detections) async throws -> SkyScanResult {
        guard detections.width == plan.width, detections.height == plan.height else {
            throw ScanSetupError(
                "\(reader.summary.name): has \(plan.width) by \(plan.height) pixels, the image of the detection "
                    + "\(detections.width) by \(detections.height); both must have the same size")
        }
        guard parameters.measurements?.isOfOtherImage == true else {
            throw ScanSetupError("the parameters do not say what is to be measured of sources of another image")
        }
        var tally = ScanTally()
        for sector in detections.missing { tally.skip(sector.step, sector: sector.rect, reason: sector.reason) }
        var scan = self
        return try await scan.run(.detections(detections.assembly), tally)
    }
}
