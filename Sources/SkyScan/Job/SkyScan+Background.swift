internal import ScanCluster
internal import SkyExtraction

extension SkyScan {
    /// Pass 1: the raw background of every band, reduced to the background of the image.
    ///
    /// A band without a background gets that of its neighbours.
    /// - Throws: ``SkyScanError`` if no band has one: detections would be meaningless.
    func measureBackground(_ tally: inout ScanTally) async throws -> BackgroundModel {
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        let (plan, parameters, reader) = (plan, parameters, reader)
        let tasks = StepTasks(count: plan.count, key: { UInt64($0) }) { band in
            MeshTask(plan: plan, id: band, parameters: parameters, window: reader.contents(of: plan[band].window))
        }
        let step = Step(
            .background, cost: backgroundCost, bands: .forth, sector: { plan[$0].core })
        try await run(step, tasks, &tally) { band, result in
            switch result {
            case .success(let statistics): try accumulator.add(statistics)
            case .failure: try accumulator.add(.missing(band: plan[band], parameters: parameters))
            }
        }
        if tally.missing.count == plan.count, let reason = tally.missing.last?.reason {
            throw SkyScanError("the background could not be measured anywhere, so nothing was scanned: \(reason)")
        }
        return try accumulator.reduce()
    }
}
