package import SkyFITS

/// Both passes over an image that is cut into no bands: its background, then its sources.
package struct ImageExtraction: BandStep {
    package static let typeName = "sky.image/6"
    package static let costPerPixel = MeshMeasurement.costPerPixel + BandExtraction.costPerPixel

    package var plan: BandPlan
    package var parameters: ScanParameters

    /// The scan of an image whose plan has one band.
    package init(plan: BandPlan, parameters: ScanParameters) {
        self.plan = plan
        self.parameters = parameters
    }

    package var band: Int { 0 }

    private var mesh: MeshMeasurement { MeshMeasurement(plan: plan, band: band, parameters: parameters) }

    /// Scans the image, all of which `view` must hold.
    package func scan(_ view: PixelView) throws -> ImageResult {
        try validate()
        guard plan.count == 1 else { throw ScanSetupError("the image has \(plan.count) bands, not one") }
        let statistics = try mesh.scan(view)
        // The coordinator, which reduces the statistics too, refuses such an image: another attempt cannot help.
        if statistics.maskedPixels == plan.image.area {
            return ImageResult(statistics: statistics, window: WindowResult())
        }
        try view.checkCancellation()
        let background = try Self.background(of: statistics, plan: plan, parameters: parameters)
        let scan = BandExtraction(plan: plan, band: band, parameters: parameters, background: background)
        return ImageResult(statistics: statistics, window: try scan.scan(view))
    }

    package func validate(_ output: ImageResult) throws(ScanSetupError) {
        try mesh.validate(output.statistics)
        try output.window.validate(in: plan.image)
        guard output.window.coarse.map({ $0.fits(image: plan.image, rows: plan.image.y) }) ?? true else {
            throw ScanSetupError("the coarse image of the response does not fit the image")
        }
    }

    package var missing: ImageResult { ImageResult(statistics: mesh.missing, window: WindowResult()) }

    package static func sources(in output: ImageResult) -> SourceTable? { output.window.batch.sources }

    /// The background of an image from the statistics of its only band.
    /// - Throws: ``ScanSetupError``, ``MemoryError``.
    package static func background(
        of statistics: MeshStatistics, plan: BandPlan, parameters: ScanParameters
    ) throws -> BackgroundModel {
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        try accumulator.add(statistics)
        return try accumulator.reduce()
    }
}

/// The sources of an image that is scanned as one window.
package struct ImageResult: Codable, Equatable, Sendable {
    /// The background of each mesh, before the median filter.
    package var statistics: MeshStatistics
    package var window: WindowResult

    package init(statistics: MeshStatistics, window: WindowResult) {
        self.statistics = statistics
        self.window = window
    }
}
