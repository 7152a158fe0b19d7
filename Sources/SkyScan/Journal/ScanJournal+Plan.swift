package import SkyExtraction

extension ScanJournal {
    /// Returns the plan of bands for a pass: the plan of the results from which the job continues, or else `proposed`,
    /// which is then recorded.
    ///
    /// Must be called before the pass. An image in the journal of a job of many images always uses `proposed`, which
    /// must not depend on the cluster.
    package func plan(of step: ScanStep, proposed: BandPlan) async throws -> BandPlan {
        if image != nil { return proposed }
        return try await executor.run { [opened] in
            // If the second pass has results, the first pass has results as well.
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
