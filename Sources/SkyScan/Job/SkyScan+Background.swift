internal import ScanCluster
internal import SkyImage

extension SkyScan {
    /// Pass 1: the raw background of every band, reduced to that of the image.
    func measureBackground(_ tally: inout ScanTally) async throws -> BackgroundModel {
        var accumulator = BackgroundAccumulator(plan: plan, parameters: parameters)
        let (plan, parameters, reader) = (plan, parameters, reader)
        let tasks = StepTasks(count: plan.count) { band in
            MeshTask(plan: plan, id: band, parameters: parameters, window: reader.contents(of: plan[band].window))
        }
        let responses = responses(
            to: tasks, step: .background, cost: Double(plan.image.area) / 4, keepsPixels: true)
        for try await response in responses {
            tally.count(response, .background, sector: plan[response.id].core)
            switch response.result {
            case .success(let statistics): try accumulator.add(statistics)
            case .failure: try accumulator.add(.missing(band: plan[response.id], parameters: parameters))
            }
        }
        return try accumulator.reduce()
    }
}
