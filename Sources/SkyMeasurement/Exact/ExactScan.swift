package import SkyExtraction

/// The scan of an image, as a value: outputs of windows go in, the windows to be scanned next come out. Knows neither
/// pixels nor the systems that scan them. See Docs/ExactScan.md.
///
/// The windows of a round depend on the outputs of earlier rounds, not on the order in which these were added. So the
/// catalogue has the same bits whoever scans the windows:
///
///     while let round = try scan.next() {
///         for index in 0..<round.count { try round.add(round.step(index).scan(pixels), of: index, to: &scan) }
///     }
package struct ExactScan: Sendable {
    /// The work that follows the background.
    package enum Aim: Sendable {
        /// A search for sources, and their measurement.
        case sources
        /// Fluxes at given positions.
        case positions(ForcedPlan)
        /// Measurement of sources that were detected in another image of that size.
        case detections(CatalogAssembly)
    }

    /// How the image is cut. May be replaced while ``isBetweenPasses``.
    package var plan: BandPlan
    /// The slots among which the sources of a large window are divided.
    package var slots = 1

    /// The background of the image, once a round follows its own.
    package private(set) var background: BackgroundModel?
    /// The sources, once they are cleaned. They are complete when there is no further round.
    package private(set) var assembly: CatalogAssembly
    /// The coarse image, if trails are looked for; complete once all bands are.
    package private(set) var coarse: CoarseImage?
    /// The fluxes at given positions.
    package private(set) var forced: ForcedPlan?
    /// The requested measurements, the photometry of the sources included.
    package var measurements: MeasurementTable { measurementPlan?.table ?? MeasurementTable() }

    private let parameters: ScanParameters
    /// Whether sources are searched for, and whether in bands.
    private let (isSearch, hasBands): (Bool, Bool)
    private var hasBegun = false
    /// Nil once the background is known.
    private var accumulator: BackgroundAccumulator?
    private var planner: CutIslandPlanner
    private var batch = SourceBatch()
    private var cutWindows: [CutIslandWindow] = []
    private var isCleaned = false
    private var measurementPlan: MeasurementPlan?
    private var (apertureRounds, measurementRounds) = (0, 0)

    /// A scan of an image that `plan` cuts; as a single window if that is one band.
    package init(plan: BandPlan, parameters: ScanParameters, aim: Aim = .sources) {
        (self.plan, self.parameters) = (plan, parameters)
        isSearch = if case .sources = aim { true } else { false }
        hasBands = plan.count > 1
        accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        planner = CutIslandPlanner(plan: plan, parameters: parameters)
        assembly = CatalogAssembly(SourceBatch(), parameters: parameters)
        coarse = parameters.findsTrails ? CoarseImage(image: plan.image, rows: plan.image.y) : nil
        switch aim {
        case .sources: break
        case .positions(let positions): forced = positions
        case .detections(let detections): (assembly, isCleaned) = (detections, true)
        }
    }

    /// Whether pass 1 is over, and pass 2 has not begun.
    package var isBetweenPasses: Bool { hasBegun && background == nil && isSearch && hasBands }

    /// Goes on to the windows to be scanned next, once the outputs of all before are added.
    /// - Parameter report: gets the sources of cut islands, before the sources of all windows are cleaned.
    /// - Returns: the windows; nil at the end.
    /// - Throws: ``ScanSetupError`` if the image has no background, ``MemoryError``.
    package mutating func next(
        beforeCleaning report: (SourceTable) -> Void = { _ in }
    ) throws -> (any ScanRound)? {
        if !hasBegun {
            hasBegun = true
            return isSearch && !hasBands ? wholeImage : meshes
        }
        guard let background else {
            guard let background = try accumulator?.reduce() else { return nil }
            (self.background, accumulator) = (background, nil)
            if let forced { return positions(forced, background) }
            if isSearch, hasBands {
                planner = CutIslandPlanner(plan: plan, parameters: parameters)
                return bands(background)
            }
            return try next(beforeCleaning: report)
        }
        if forced != nil { return nil }
        if !cutWindows.isEmpty { return cutIslands(background) }
        if !isCleaned { clean(report) }
        return apertures(background) ?? requested(background)
    }

    // MARK: - Background

    private var meshes: WindowRound<MeshMeasurement> {
        WindowRound(count: plan.count) { [plan, parameters] band in
            MeshMeasurement(plan: plan, band: band, parameters: parameters)
        } take: { scan, output, _ in
            try scan.accumulator?.add(output)
        }
    }

    private var wholeImage: WindowRound<ImageExtraction> {
        WindowRound(count: 1) { [plan, parameters] _ in
            ImageExtraction(plan: plan, parameters: parameters)
        } take: { scan, output, band in
            try scan.accumulator?.add(output.statistics)
            scan.add(output.window, ofBand: band)
        }
    }

    // MARK: - Sources

    private func bands(_ background: BackgroundModel) -> WindowRound<BandExtraction> {
        WindowRound(count: plan.count) { [plan, parameters] band in
            BandExtraction(plan: plan, band: band, parameters: parameters, background: background)
        } take: { scan, output, band in
            scan.add(output, ofBand: band)
        }
    }

    private mutating func add(_ output: WindowResult, ofBand band: Int) {
        batch.append(output.batch)
        if let part = output.coarse { coarse?.add(part) }
        cutWindows += planner.finish(band: band, cut: output.cut)
    }

    private mutating func cutIslands(_ background: BackgroundModel) -> WindowRound<CutIslandExtraction> {
        let windows = cutWindows
        cutWindows = []
        return WindowRound(count: windows.count) { [plan, parameters] index in
            CutIslandExtraction(plan: plan, rescan: windows[index], parameters: parameters, background: background)
        } take: { scan, output, index in
            scan.cutWindows += scan.planner.finish(window: windows[index].id, result: output)
        }
    }

    private mutating func clean(_ report: (SourceTable) -> Void) {
        let accepted = planner.accepted
        report(accepted.sources)
        batch.append(accepted)
        assembly = CatalogAssembly(batch, parameters: parameters)
        (batch, isCleaned) = (SourceBatch(), true)
        planner = CutIslandPlanner(plan: plan, parameters: parameters)
    }

    // MARK: - Measurements

    private mutating func apertures(_ background: BackgroundModel) -> WindowRound<WindowPhotometry>? {
        let windows = assembly.windows(slots: slots)
        if windows.isEmpty { return nil }
        if apertureRounds == CatalogAssembly.roundLimit {
            // Only if a node returns open apertures in every round, which a correct node does not.
            assembly.close()
            return nil
        }
        apertureRounds += 1
        return WindowRound(count: windows.count) { [parameters] index in
            WindowPhotometry(window: windows[index], parameters: parameters, background: background)
        } take: { scan, output, index in
            scan.assembly.add(output, of: windows[index])
        }
    }

    private mutating func requested(_ background: BackgroundModel) -> WindowRound<WindowMeasurement>? {
        guard let request = parameters.measurements else { return nil }
        var measured =
            measurementPlan
            ?? MeasurementPlan(
                assembly, plan: plan, parameters: parameters, request: request, background: background)
        let windows = measurementRounds >= MeasurementPlan.roundLimit ? [] : measured.windows()
        measurementPlan = measured
        measurementRounds += 1
        if windows.isEmpty { return nil }
        return WindowRound(count: windows.count) { [parameters] index in
            WindowMeasurement(window: windows[index], parameters: parameters, background: background)
        } take: { scan, output, index in
            scan.measurementPlan?.add(output, of: windows[index])
        }
    }

    private func positions(_ forced: ForcedPlan, _ background: BackgroundModel) -> WindowRound<ForcedPhotometry> {
        let windows = forced.windows
        return WindowRound(count: windows.count) { [parameters] index in
            ForcedPhotometry(window: windows[index], parameters: parameters, background: background)
        } take: { scan, output, index in
            scan.forced?.add(output, of: windows[index])
        }
    }
}
