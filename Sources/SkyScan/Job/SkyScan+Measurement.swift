internal import ScanCluster
package import SkyExtraction
package import SkyMeasurement

extension SkyScan {
    /// Measures the sources of the catalogue on request.
    /// - Returns: what was measured; nil if nothing was requested.
    package func measure(
        _ assembly: inout CatalogAssembly, _ background: BackgroundModel, _ tally: inout ScanTally
    ) async throws -> MeasurementTable? {
        guard let request = parameters.measurements else { return nil }
        let levels = background.levels(x: assembly.sources.x, y: assembly.sources.y)
        var measurements = MeasurementPlan(
            assembly.sources, pixels: assembly.pixels, absorbed: assembly.absorbed, hidden: assembly.hidden, plan: plan,
            parameters: parameters,
            request: request, levels: levels)
        try await complete(&measurements, request, background, &tally)
        assembly.replacePhotometry(by: measurements.table, request)
        return measurements.table
    }

    /// Measures in rounds until each source has what it needs.
    package func complete(
        _ measurements: inout MeasurementPlan, _ request: MeasurementRequest, _ background: BackgroundModel,
        _ tally: inout ScanTally
    ) async throws {
        for _ in 0..<MeasurementPlan.roundLimit {
            let windows = measurements.windows()
            if windows.isEmpty { break }
            for window in windows {
                guard let reason = excess(of: window.rect) else { continue }
                tally.skip(.photometry, sector: window.rect, reason: reason)
                measurements.add(MeasurementResult(missing: window, request), of: window)
            }
            try await measure(windows.filter { excess(of: $0.rect) == nil }, of: &measurements, background, &tally)
        }
    }

    private func measure(
        _ windows: [MeasurementWindow], of measurements: inout MeasurementPlan, _ background: BackgroundModel,
        _ tally: inout ScanTally
    ) async throws {
        guard let request = parameters.measurements else { return }
        let (parameters, reader) = (parameters, reader)
        let tasks = StepTasks(count: windows.count, key: { try Checksum.of(windows[$0]) }) { index in
            MeasurementTask(
                id: index,
                scan: MeasurementScan(window: windows[index], parameters: parameters, background: background),
                window: reader.contents(of: windows[index].rect))
        }
        let cost = windows.reduce(0) { $0 + $1.rect.area } / 2
        let step = Step(
            .photometry, basis: try basis(background), cost: Double(cost), sector: { windows[$0].rect })
        try await run(step, tasks, &tally) { index, result in
            let window = windows[index]
            measurements.add((try? result.get()) ?? MeasurementResult(missing: window, request), of: window)
        }
    }
}
