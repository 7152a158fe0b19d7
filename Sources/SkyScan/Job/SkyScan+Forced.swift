internal import ScanCluster
internal import SkyExtraction
internal import SkyFITS
internal import SkyMeasurement

extension SkyScan {
    /// Measures fluxes at `positions`, after the background of the image.
    func measureForced(
        _ positions: PlacedPositions, _ background: BackgroundModel, _ tally: inout ScanTally
    ) async throws -> ForcedTable {
        guard let request = parameters.forced else {
            throw ScanSetupError("the parameters do not say what is to be measured at the positions")
        }
        var forced = ForcedPlan(x: positions.x, y: positions.y, in: plan.image, request)
        let (parameters, reader) = (parameters, reader)
        let windows = forced.windows.filter { window in
            guard let reason = excess(of: window.rect) else { return true }
            tally.skip(.photometry, sector: window.rect, reason: reason)
            return false
        }
        let tasks = StepTasks(count: windows.count, key: { try Checksum.of(windows[$0]) }) { index in
            ForcedTask(
                id: index, scan: ForcedScan(window: windows[index], parameters: parameters, background: background),
                window: reader.contents(of: windows[index].rect))
        }
        let cost = windows.reduce(0) { $0 + $1.rect.area } / 4
        let step = Step(
            .photometry, basis: try basis(background), cost: Double(cost), sector: { windows[$0].rect })
        try await run(step, tasks, &tally) { index, result in
            if let table = try? result.get() { forced.add(table, of: windows[index]) }
        }
        return forced.table
    }
}
