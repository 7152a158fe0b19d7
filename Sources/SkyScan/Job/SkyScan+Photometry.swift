internal import ScanCluster
internal import SkyImage

extension SkyScan {
    /// Measures the sources whose apertures reach beyond the window they were found in, in windows that hold them.
    func measureApertures(
        of assembly: inout CatalogAssembly, _ background: BackgroundModel, _ tally: inout ScanTally
    ) async throws {
        let (parameters, reader) = (parameters, reader)
        for _ in 0..<CatalogAssembly.roundLimit {
            let windows = assembly.windows()
            if windows.isEmpty { return }
            let tasks = StepTasks(count: windows.count, key: { try Checksum.of(windows[$0]) }) { index in
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
        // Only a node that keeps asking for more leads here.
        assembly.close()
    }
}
