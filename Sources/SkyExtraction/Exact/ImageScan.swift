import SkyFITS

/// Both passes over an image that is cut into no bands: its background, then its sources.
package struct ImageScan: Codable, Equatable, Sendable {
    package var plan: BandPlan
    package var parameters: ScanParameters

    /// The scan of an image whose plan has one band.
    package init(plan: BandPlan, parameters: ScanParameters) {
        self.plan = plan
        self.parameters = parameters
    }

    /// Scans the image, all of which `view` must hold.
    /// - Throws: ``ScanSetupError``, ``MemoryError``.
    package func scan(_ view: PixelView) throws -> ImageResult {
        try plan.validate()
        guard plan.count == 1 else { throw ScanSetupError("the image has \(plan.count) bands, not one") }
        let statistics = try MeshStatistics(measuring: view, band: plan[0], parameters: parameters)
        // The coordinator, which reduces the statistics too, refuses such an image: another attempt cannot help.
        if statistics.maskedPixels == plan.image.area {
            return ImageResult(statistics: statistics, window: WindowResult())
        }
        try view.checkCancellation()
        let background = try Self.background(of: statistics, plan: plan, parameters: parameters)
        let scan = BandScan(plan: plan, band: 0, parameters: parameters, background: background)
        return ImageResult(statistics: statistics, window: try scan.scan(view))
    }

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

/// What was found in an image that is cut into no bands.
package struct ImageResult: Codable, Equatable, Sendable {
    /// The background of each mesh, before the median filter.
    package var statistics: MeshStatistics
    package var window: WindowResult

    package init(statistics: MeshStatistics, window: WindowResult) {
        self.statistics = statistics
        self.window = window
    }
}
