internal import ScanCluster
package import SkyExtraction
internal import SkyFITS
internal import SkyMeasurement

/// The sources of an image, for their measurement in other images of the same size: SExtractor's dual image mode.
public struct Detections: Sendable {
    package let sources: SourceTable
    package let measured: SkyScanResult.Measured
    package let detected: PixelRuns
    package let removed: Int
    package let width: Int
    package let height: Int
    /// Sectors of the image in which none could be detected.
    package let missing: [MissingSector]

    /// Those of a scan whose parameters request measurements and detections; nil of another scan.
    /// - Parameters:
    ///   - result: of the scan.
    ///   - image: the image.
    public init?(_ result: SkyScanResult, of image: ImageSummary) {
        guard let measured = result.measured, let detected = measured.detected else { return nil }
        (sources, removed, missing) = (result.sources, result.removed, result.missing)
        (self.measured, self.detected) = (measured, detected)
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
    /// - Throws: as ``run()``, and ``ScanSetupError`` for an image of another size.
    public func measure(_ detections: Detections) async throws -> SkyScanResult {
        guard detections.width == plan.width, detections.height == plan.height else {
            throw ScanSetupError(
                "\(reader.summary.name): has \(plan.width) by \(plan.height) pixels, the image of the detection "
                    + "\(detections.width) by \(detections.height); both must have the same size")
        }
        guard let request = parameters.measurements, request.isOfOtherImage else {
            throw ScanSetupError("the parameters do not say what is to be measured of sources of another image")
        }
        var tally = ScanTally()
        for sector in detections.missing { tally.skip(sector.step, sector: sector.rect, reason: sector.reason) }
        let background = try await measureBackground(&tally)
        let levels = background.levels(x: detections.sources.x, y: detections.sources.y)
        var measured = detections.measured
        var measurements = MeasurementPlan(
            detections.sources, pixels: measured.pixels, absorbed: measured.absorbed, hidden: measured.hidden,
            plan: plan, parameters: parameters, request: request, levels: levels, detected: detections.detected)
        try await complete(&measurements, request, background, &tally)
        var sources = detections.sources
        sources.photometry = Photometry(measurements.table, request, count: sources.count)
        (measured.table, measured.background, measured.detected) = (measurements.table, background, nil)
        return result(sources, removed: detections.removed, background, &tally, measured)
    }
}
