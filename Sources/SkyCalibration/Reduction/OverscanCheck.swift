internal import SkyFITS

/// Finds a bias or a dark from which the overscan was not subtracted: it would be subtracted from a frame twice.
struct OverscanCheck {
    private let plan: ReductionPlan
    private let overscan: PixelSection

    /// Rows of the overscan that are read, at most.
    private static let rowCount = 9

    init(_ plan: ReductionPlan, _ overscan: PixelSection) { (self.plan, self.overscan) = (plan, overscan) }

    /// Compares the medians of bias and dark with that of the overscan.
    /// - Throws: ``ScanSetupError`` if one has at least half of its level; errors of `read`.
    func check(_ read: RawReader) throws {
        let masters = [(MasterImages.Role.bias, "bias frames"), (.dark, "darks")].compactMap { role, words in
            plan.images[role].map { (image: $0, words: words) }
        }.filter { $0.image.frame.steps[.overscan] == nil && $0.image.frame.steps[.bias] == nil }
        if masters.isEmpty { return }
        var samples: [Double] = []
        let step = max(1, (overscan.height + Self.rowCount - 1) / Self.rowCount)
        for row in stride(from: overscan.y.lowerBound, to: overscan.y.upperBound, by: step) {
            let values = try FrameReduction.samples(PixelRect(x: overscan.x, y: row..<row + 1), read)
            samples += values.filter(\.isFinite).map(Double.init)
        }
        guard let level = OverscanLevels.level(&samples, .median), abs(level) >= LevelCheck.leastLevel else { return }
        for master in masters {
            guard let own = master.image.level, own / level > 0.5 else { continue }
            throw ScanSetupError(
                "\(master.image.frame.location): still has the level of the overscan (\(own), the overscan of "
                    + "\(plan.frame.location) \(level)), which would be subtracted twice; calibrate the \(master.words) "
                    + "with the same --overscan before they are combined, or leave out --overscan")
        }
    }
}
