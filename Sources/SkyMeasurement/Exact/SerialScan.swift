package import SkyExtraction
package import SkyFITS

/// The whole scan of an image in memory, on one thread and without a cluster: the reference for the distributed job.
package struct SerialScan {
    /// How the image is cut.
    package var plan: BandPlan
    /// What counts as a source.
    package let parameters: ScanParameters
    /// The order in which the parts of a step are processed, given their number; ascending by default.
    package var order: (Int) -> [Int] = { Array(0..<$0) }
    /// Called with what each part of a step gave, and with the background.
    package var onOutput: (any Encodable) throws -> Void = { _ in }

    /// A catalogue with statistics of its scan.
    package struct Result {
        package var sources: SourceTable
        /// The background that was subtracted.
        package var background: BackgroundModel
        /// Windows in which cut islands were scanned again.
        package var rescans = 0
        /// Extracted pixels divided by the pixels of the image.
        package var extractedShare = 0.0
        /// Windows in which apertures were measured again.
        package var apertureWindows = 0
        /// What was measured on request.
        package var measurements = MeasurementTable()
        /// Sources that cleaning removed.
        package var removed = 0
        /// The pixels of the sources, if the parameters need them.
        package var segments: SegmentRows?
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
        let background = try background(of: view)
        var result = Result(sources: SourceTable(), background: background)
        let assembly = try extract(view, &result)
        result.removed = assembly.removed
        if parameters.needsPixels {
            result.segments = SegmentRows(assembly.pixels, absorbed: assembly.absorbed, height: plan.height)
        }
        result.sources = try measure(view, assembly, &result)
        if let request = parameters.measurements {
            result.measurements = try measure(view, request, assembly, result.background)
        }
        return result
    }

    private func background(of view: PixelView) throws -> BackgroundModel {
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        for index in order(plan.count) {
            let band = plan[index]
            let statistics = try MeshStatistics(
                measuring: view.cropped(to: band.core), band: band, parameters: parameters)
            try onOutput(statistics)
            try accumulator.add(statistics)
        }
        let background = try accumulator.reduce()
        try onOutput(background.slice(rows: plan.image.y))
        return background
    }

    private func extract(_ view: PixelView, _ result: inout Result) throws -> CatalogAssembly {
        var planner = CutIslandPlanner(plan: plan, parameters: parameters)
        var batch = SourceBatch()
        var windows: [CutIslandWindow] = []
        var pixels = 0
        for index in order(plan.count) {
            let scan = BandScan(plan: plan, band: index, parameters: parameters, background: result.background)
            let found = try scan.scan(view.cropped(to: plan[index].window))
            try onOutput(found)
            batch.append(found.batch)
            windows += planner.finish(band: index, cut: found.cut)
            pixels += plan[index].extracted(IslandMargin(parameters: parameters)).area
        }
        while !planner.isFinished {
            let round = order(windows.count).map { windows[$0] }
            windows = []
            for window in round {
                let scan = CutIslandScan(
                    plan: plan, rescan: window, parameters: parameters, background: result.background)
                let found = try scan.scan(view.cropped(to: window.rect))
                try onOutput(found)
                windows += planner.finish(window: window.id, result: found)
                pixels += window.rect.area
                result.rescans += 1
            }
        }
        result.extractedShare = Double(pixels) / Double(plan.image.area)
        batch.append(planner.accepted)
        return CatalogAssembly(batch, parameters: parameters)
    }

    private func measure(
        _ view: PixelView, _ assembly: CatalogAssembly, _ result: inout Result
    ) throws -> SourceTable {
        var assembly = assembly
        while true {
            let windows = assembly.windows()
            if windows.isEmpty { return assembly.sources }
            for index in order(windows.count) {
                let scan = ApertureScan(
                    window: windows[index], parameters: parameters, background: result.background)
                let measured = try scan.scan(view.cropped(to: windows[index].rect))
                try onOutput(measured)
                assembly.add(measured, of: windows[index])
                result.apertureWindows += 1
            }
        }
    }

    private func measure(
        _ view: PixelView, _ request: MeasurementRequest, _ assembly: CatalogAssembly, _ background: BackgroundModel
    ) throws -> MeasurementTable {
        let levels = background.levels(x: assembly.sources.x, y: assembly.sources.y)
        var measurements = MeasurementPlan(
            assembly.sources, pixels: assembly.pixels, absorbed: assembly.absorbed, hidden: assembly.hidden, plan: plan,
            parameters: parameters, request: request, levels: levels)
        for _ in 0..<MeasurementPlan.roundLimit {
            let windows = measurements.windows()
            if windows.isEmpty { break }
            for index in order(windows.count) {
                let scan = MeasurementScan(window: windows[index], parameters: parameters, background: background)
                let measured = try scan.scan(view.cropped(to: windows[index].rect))
                try onOutput(measured)
                measurements.add(measured, of: windows[index])
            }
        }
        return measurements.table
    }
}
