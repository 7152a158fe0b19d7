internal import ScanCluster
internal import SkyExtraction

extension SkyScan {
    /// Pass 2: the sources of every band, and those cut by bands, extracted in larger windows.
    func findSources(_ background: BackgroundModel, _ tally: inout ScanTally) async throws -> SourceBatch {
        var planner = CutIslandPlanner(plan: plan, parameters: parameters)
        let (batch, windows) = try await scanBands(background, &planner, &tally)
        return try await scanCut(windows, of: batch, background, &planner, &tally)
    }

    /// Adds the sources of cut islands, extracted in `windows` and in the larger ones that follow, to those of `batch`.
    func scanCut(
        _ windows: [CutIslandWindow], of batch: SourceBatch, _ background: BackgroundModel,
        _ planner: inout CutIslandPlanner, _ tally: inout ScanTally
    ) async throws -> SourceBatch {
        var (windows, batch) = (windows, batch)
        while !windows.isEmpty {
            windows = try await scanAgain(windows, background, &planner, &tally)
        }
        let accepted = planner.accepted
        if accepted.count > 0 { observer(.found(.cutIslands, x: accepted.sources.x, y: accepted.sources.y)) }
        batch.append(accepted)
        return batch
    }

    private func scanBands(
        _ background: BackgroundModel, _ planner: inout CutIslandPlanner, _ tally: inout ScanTally
    ) async throws -> (SourceBatch, [CutIslandWindow]) {
        let (plan, parameters, reader) = (plan, parameters, reader)
        let order = BandOrder.back
        let band: @Sendable (Int) -> Int = { order.band(at: $0, of: plan.count) }
        let tasks = StepTasks(count: plan.count, id: band, key: { UInt64(band($0)) }) { index in
            let band = band(index)
            return BandTask(
                scan: BandScan(plan: plan, band: band, parameters: parameters, background: background),
                window: reader.contents(of: plan[band].window))
        }
        var batch = SourceBatch()
        var windows: [CutIslandWindow] = []
        let step = Step(
            .extraction, basis: try basis(background), cost: extractionCost, bands: order,
            sector: { plan[$0].core })
        try await run(step, tasks, &tally) { band, result in
            let result = (try? result.get()) ?? WindowResult()
            observer(.found(.extraction, x: result.batch.sources.x, y: result.batch.sources.y))
            batch.append(result.batch)
            windows += planner.finish(band: band, cut: result.cut)
        }
        return (batch, windows)
    }

    private func scanAgain(
        _ windows: [CutIslandWindow], _ background: BackgroundModel, _ planner: inout CutIslandPlanner,
        _ tally: inout ScanTally
    ) async throws -> [CutIslandWindow] {
        let (plan, parameters, reader) = (plan, parameters, reader)
        var next: [CutIslandWindow] = []
        for window in windows {
            guard let reason = excess(of: window.rect) else { continue }
            tally.skip(.cutIslands, sector: window.rect, reason: reason)
            next += planner.finish(window: window.id, result: WindowResult())
        }
        let windows = windows.filter { excess(of: $0.rect) == nil }
        let tasks = StepTasks(
            count: windows.count, id: { windows[$0].id }, key: { try Checksum.of(windows[$0]) }
        ) { index in
            CutIslandTask(
                scan: CutIslandScan(plan: plan, rescan: windows[index], parameters: parameters, background: background),
                window: reader.contents(of: windows[index].rect))
        }
        let sectors = Dictionary(uniqueKeysWithValues: windows.map { ($0.id, $0.rect) })
        let cost = windows.reduce(0) { $0 + $1.rect.area }
        let step = Step(
            .cutIslands, basis: try basis(background), cost: Double(cost), sector: { sectors[$0] ?? plan.image })
        try await run(step, tasks, &tally) { window, result in
            next += planner.finish(window: window, result: (try? result.get()) ?? WindowResult())
        }
        return next
    }
}
