package import SkyExtraction

extension ScanJournal {
    /// The plan of bands for a pass: that of the results from which the job continues, or `proposed`, which is recorded.
    ///
    /// To be called before the pass. For an image in the journal of a job of many it is `proposed`, which must not
    /// depend on the cluster.
    package func plan(of step: ScanStep, proposed: BandPlan) async throws -> BandPlan {
        if image != nil { return proposed }
        return try await executor.run { [opened] in
            // The first pass has results if the second has.
            let isContinued = opened.openFile?.keys.contains { step == .background || $0.step == step } ?? false
            var plans = opened.openFile?.record.plans ?? opened.record.plans ?? [:]
            if step == .background, !isContinued { plans = [:] }
            var plan = proposed
            if isContinued, let old = plans[step.rawValue], old.image == proposed.image, (try? old.validate()) != nil {
                plan = old
            }
            plans[step.rawValue] = plan
            let first = plans[ScanStep.background.rawValue] ?? plan
            opened.change { [plans, plan] record in
                record.plans = plans
                record.tasks = first.count == 1 ? 1 : first.count + plan.count
            }
            return plan
        }
    }
}
