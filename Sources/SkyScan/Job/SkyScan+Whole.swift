internal import ScanCluster
internal import SkyExtraction

extension SkyScan {
    /// Both passes over an image that is cut into no bands, as one task.
    /// - Throws: ``SkyScanError`` if the task fails: without it there is neither background nor source.
    func scanWhole(_ tally: inout ScanTally) async throws -> (BackgroundModel, SourceBatch) {
        let (plan, parameters, reader) = (plan, parameters, reader)
        let tasks = StepTasks(count: 1, key: { UInt64($0) }) { _ in
            ImageTask(
                scan: ImageScan(plan: plan, parameters: parameters), window: reader.contents(of: plan[0].window))
        }
        var result: ImageResult?
        let step = Step(.extraction, cost: expectedCost, sector: { _ in plan.image })
        try await run(step, tasks, &tally) { _, output in result = try? output.get() }
        guard let result else {
            throw SkyScanError("the image could not be scanned: \(tally.missing.last?.reason ?? "no result")")
        }
        observer(.found(.extraction, x: result.window.batch.sources.x, y: result.window.batch.sources.y))
        let background = try ImageScan.background(of: result.statistics, plan: plan, parameters: parameters)
        var planner = CutIslandPlanner(plan: plan, parameters: parameters)
        let windows = planner.finish(band: 0, cut: result.window.cut)
        return (background, try await scanCut(windows, of: result.window.batch, background, &planner, &tally))
    }
}
