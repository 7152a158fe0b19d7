/// Measured speed of a system's slots: moving averages, which follow a machine whose load changes.
package struct ThroughputEstimate: Equatable, Sendable {
    /// Share of the newest sample in the averages.
    private static let weight = 0.2
    private var cost = 0.0
    private var seconds = 0.0
    private var isMeasured = false

    package init() {}

    /// A task of `cost` occupied a slot for `seconds`.
    package mutating func measure(cost: Double, seconds: Double) {
        // At least one tick of the clock, for scans shorter than that.
        let seconds = max(seconds, 1e-7)
        guard cost.isFinite, cost > 0, seconds.isFinite else { return }
        let weight = isMeasured ? Self.weight : 1
        self.cost += weight * (cost - self.cost)
        self.seconds += weight * (seconds - self.seconds)
        isMeasured = true
    }

    /// Cost per second of one slot; nil before the first measurement.
    package var rate: Double? { isMeasured ? cost / seconds : nil }

    /// Tasks beyond the slots that keep the slots busy while a response and the next task are on their way: one per
    /// slot, or of short ones as many as take 20 ms or a round trip of `latency` seconds.
    package func prefetch(slots: Int, latency: Double = 0) -> Int {
        guard isMeasured else { return slots }
        let ahead = max(0.02 / seconds, (latency / seconds).rounded(.up))
        return slots * max(1, Int(min(ahead, 1e5)))
    }
}
