internal import ScanCluster
internal import SkyImage

extension SkyScan {
    /// Measures the sources whose apertures reach beyond the window they were found in, in windows that hold them.
    func measureApertures(
        of assembly: inout CatalogAssembly, _ background: BackgroundModel, _ tally: inout ScanTally
    ) async throws {
        let (parameters, reader) = (parameters, reader)
        while true {
            let windows = assembly.windows()
            if windows.isEmpty { return }
            let tasks = StepTasks(count: windows.count) { index in
                ApertureTask(
                    id: index,
                    scan: ApertureScan(window: windows[index], parameters: parameters, background: background),
                    window: reader.contents(of: windows[index].rect))
            }
            let cost = windows.reduce(0) { $0 + $1.rect.area } / 4
            let responses = responses(to: tasks, step: .photometry, cost: Double(cost))
            for try await response in responses {
                let window = windows[response.id]
                tally.count(response, .photometry, sector: window.rect)
                let result = (try? response.get()) ?? .missing(for: window)
                try assembly.add(result, of: window)
            }
        }
    }
}
