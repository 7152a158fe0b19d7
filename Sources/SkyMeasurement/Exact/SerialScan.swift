package import SkyExtraction
package import SkyFITS

/// The whole scan of an image in memory, on one thread and without a cluster: the reference for the distributed job.
package struct SerialScan {
    /// How the image is cut.
    package var plan: BandPlan
    /// Detection and photometry.
    package let parameters: ScanParameters
    /// The order in which the windows of a round are scanned, given their number; ascending by default.
    package var order: (Int) -> [Int] = { Array(0..<$0) }
    /// Called with what each window gave, and with the background before the bands.
    package var onOutput: (any Encodable) throws -> Void = { _ in }

    /// A catalogue with statistics of its scan.
    package struct Result {
        package let sources: SourceTable
        /// The background that was subtracted.
        package let background: BackgroundModel
        /// The requested measurements.
        package let measurements: MeasurementTable
        /// Sources that cleaning removed.
        package let removed: Int
        /// The pixels of the sources, if the parameters need them.
        package let segments: SegmentRows?
        /// Windows by the kind of scan.
        fileprivate let windows: [String: Int]

        /// Windows in which cut islands were scanned again.
        package var rescans: Int { windows[CutIslandExtraction.typeName] ?? 0 }
        /// Windows in which apertures were measured again.
        package var apertureWindows: Int { windows[WindowPhotometry.typeName] ?? 0 }
    }

    /// A scan of an image of `width` by `height` pixels.
    /// - Throws: ``ScanSetupError`` for invalid parameters.
    package init(
        width: Int, height: Int, parameters: ScanParameters, requestedRows: Int? = nil
    ) throws(ScanSetupError) {
        try parameters.validate()
        self.parameters = parameters
        plan = try BandPlan(
            width: width, height: height, parameters: parameters, requestedRows: requestedRows)
    }

    /// Scans the image, all of which `view` must hold.
    /// - Throws: ``ScanSetupError``, ``MemoryError``.
    package func run(_ view: PixelView) throws -> Result {
        var view = view
        // Windows overlap: a scan must not change the pixels of the next one.
        view.isOverwritable = false
        var scan = ExactScan(plan: plan, parameters: parameters)
        var windows: [String: Int] = [:]
        while let round = try scan.next() { try run(round, of: &scan, view, &windows) }
        guard let background = scan.background else { throw ScanSetupError("the image has no background") }
        let assembly = scan.assembly
        return Result(
            sources: assembly.sources, background: background, measurements: scan.measurements,
            removed: assembly.removed,
            segments: parameters.needsPixels
                ? SegmentRows(assembly.pixels, absorbed: assembly.absorbed, height: plan.height) : nil,
            windows: windows)
    }

    private func run<Round: ScanRound>(
        _ round: Round, of scan: inout ExactScan, _ view: PixelView, _ windows: inout [String: Int]
    ) throws {
        windows[Round.Step.typeName, default: 0] += round.count
        if Round.Step.self == BandExtraction.self, let background = scan.background {
            try onOutput(background.slice(rows: plan.image.y))
        }
        for index in order(round.count) {
            let step = round.step(index)
            let output = try step.scan(view.cropped(to: step.rect))
            try onOutput(output)
            try round.add(output, of: index, to: &scan)
        }
    }
}
