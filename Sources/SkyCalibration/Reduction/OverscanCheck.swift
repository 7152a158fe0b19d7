internal import SkyFITS

/// Finds a bias from which the overscan was not subtracted: it would be subtracted from a frame twice.
struct OverscanCheck {
    private let plan: ReductionPlan
    private let overscan: PixelSection

    /// Rows of the overscan that are read, at most.
    private static let rowCount = 9
    /// Levels below this may be equal by chance.
    private static let leastLevel = 10.0

    init(_ plan: ReductionPlan, _ overscan: PixelSection) { (self.plan, self.overscan) = (plan, overscan) }

    /// Compares the median of the bias with that of the overscan.
    /// - Throws: ``ScanSetupError`` if the bias has at least half of its level; errors of `read`.
    func check(_ read: RawReader) throws {
        guard let bias = plan.images[.bias], bias.frame.cards.value("CALOVSC") == nil, let own = bias.level else {
            return
        }
        var samples: [Double] = []
        let step = max(1, (overscan.height + Self.rowCount - 1) / Self.rowCount)
        for row in stride(from: overscan.y.lowerBound, to: overscan.y.upperBound, by: step) {
            let values = try FrameReduction.samples(PixelRect(x: overscan.x, y: row..<row + 1), read)
            samples += values.filter(\.isFinite).map(Double.init)
        }
        guard let level = OverscanLevels.level(&samples, .median), abs(level) >= Self.leastLevel, own / level > 0.5
        else { return }
        throw ScanSetupError(
            "\(bias.frame.location): still has the level of the overscan (\(own), the overscan of "
                + "\(plan.frame.location) \(level)), which would be subtracted twice; calibrate the bias frames with the "
                + "same --overscan before they are combined, or leave out --overscan")
    }
}
