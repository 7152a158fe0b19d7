/// How fast something goes on of late. Time comes in as seconds since any moment.
struct RateMeter: Equatable, Sendable {
    private var samples: [Sample]

    private struct Sample: Equatable, Sendable {
        var seconds: Double
        var total: Double
    }

    /// Seconds that count.
    private static let window = 15.0

    /// Nothing was done until `seconds`.
    init(from seconds: Double = 0) { samples = [Sample(seconds: seconds, total: 0)] }

    /// So much was done.
    mutating func add(_ amount: Double, at seconds: Double) {
        let total = samples[samples.count - 1].total + amount
        // One sample per quarter of a second is enough, and keeps a job of a million tasks small.
        if samples.count > 1, seconds - samples[samples.count - 2].seconds < 0.25 { samples.removeLast() }
        samples.append(Sample(seconds: seconds, total: total))
        while samples.count > 2, samples[1].seconds < seconds - Self.window { samples.removeFirst() }
    }

    /// Amount per second of late; nil if nothing was done.
    func rate(at seconds: Double) -> Double? {
        let start = samples.last { $0.seconds <= seconds - Self.window } ?? samples[0]
        let amount = samples[samples.count - 1].total - start.total
        return amount > 0 && seconds > start.seconds ? amount / (seconds - start.seconds) : nil
    }
}
