internal import SkyExtraction

extension SkyScan {
    /// Cuts the image anew before the second pass if there are at least twice as many slots as at the beginning, and more
    /// than bands: nodes that have joined since would have none.
    ///
    /// The pixels of the new bands are read, unpacked and sent again.
    mutating func planExtraction() async throws {
        var next = plan
        if let slots = slots?(), slots >= 2 * plannedSlots, slots > plan.count {
            next = try BandPlan(width: plan.width, height: plan.height, parameters: parameters, slots: slots)
        }
        next = try await journal?.plan(of: .extraction, proposed: next) ?? next
        if next == plan { return }
        (plan, earlierPlans) = (next, earlierPlans + 1)
    }
}
