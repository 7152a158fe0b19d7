/// The recent rate of a quantity in a sliding window. Times are in seconds since any fixed moment.
package struct RateMeter: Equatable, Sendable {
    private var samples: [Sample]

    private struct Sample: Equatable, Sendable {
        var seconds: Double
        var total: Double
    }

    /// Length of the window in seconds.
    private static let window = 15.0

    /// Creates a meter that starts at `seconds`.
    package init(from seconds: Double = 0) { samples = [Sample(seconds: seconds, total: 0)] }

    package mutating func add(_ amount: Double, at seconds: Double) {
        let total = samples[samples.count - 1].total + amount
        // Keeps one sample per quarter of a second to bound the memory.
        if samples.count > 1, seconds - samples[samples.count - 2].seconds < 0.25 { samples.removeLast() }
        samples.append(Sample(seconds: seconds, total: total))
        while samples.count > 2, samples[1].seconds < seconds - Self.window { samples.removeFirst() }
    }

    /// Returns the amount per second in the window, or nil if the amount is 0.
    package func rate(at seconds: Double) -> Double? {
        let start = samples.last { $0.seconds <= seconds - Self.window } ?? samples[0]
        let amount = samples[samples.count - 1].total - start.total
        return amount > 0 && seconds > start.seconds ? amount / (seconds - start.seconds) : nil
    }
}
