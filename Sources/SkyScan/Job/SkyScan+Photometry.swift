internal import ScanCluster
internal import SkyExtraction

extension SkyScan {
    /// Measures the sources whose apertures reach beyond the window they were found in, in windows that hold them.
    func measureApertures(
        of assembly: inout CatalogAssembly, _ background: BackgroundModel, _ tally: inout ScanTally
    ) async throws {
        let (parameters, reader) = (parameters, reader)
        for _ in 0..<CatalogAssembly.roundLimit {
            var windows = assembly.windows(slots: slots?() ?? plannedSlots)
            if windows.isEmpty { return }
            for window in windows {
                guard let reason = excess(of: window.rect) else { continue }
                tally.skip(.photometry, sector: window.rect, reason: reason)
                assembly.add(.missing(for: window), of: window)
            }
            windows.removeAll { excess(of: $0.rect) != nil }
            let tasks = StepTasks(count: windows.count, key: { [windows] in try Checksum.of(windows[$0]) }) {
                [windows] index in
                ApertureTask(
                    id: index,
                    scan: ApertureScan(window: windows[index], parameters: parameters, background: background),
                    window: reader.contents(of: windows[index].rect))
            }
            let cost = windows.reduce(0) { $0 + $1.rect.area } / 4
            let step = Step(
                .photometry, basis: try basis(background), cost: Double(cost), sector: { windows[$0].rect })
            try await run(step, tasks, &tally) { index, result in
                assembly.add((try? result.get()) ?? .missing(for: windows[index]), of: windows[index])
            }
        }
        // Reached only if a node returns open apertures in every round, which a correct node does not.
        assembly.close()
    }
}
