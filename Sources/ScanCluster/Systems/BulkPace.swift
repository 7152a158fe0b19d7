/// How fast bulk bytes reach remote systems: measured whenever bytes that were on their way have arrived. Pure.
///
/// While the link is the limit, this is its speed. While the systems are the limit, it is slower than the link: the time
/// that it predicts is then too long, but short in comparison with the tasks.
package struct BulkPace: Sendable {
    /// Bytes of attempts in flight that had to be sent.
    package private(set) var inTransit = 0
    /// The last arrival, or the time at which the bytes in transit began to be sent.
    private var last = Instant(nanoseconds: 0)
    private var speed = ThroughputEstimate()

    package init() {}

    /// An attempt begins for which bytes are sent.
    package mutating func begin(_ bytes: Int, at now: Instant) {
        if inTransit == 0 { last = now }
        inTransit += bytes
    }

    /// It has ended. `arrived`: with an output, for which it needed the bytes.
    package mutating func end(_ bytes: Int, arrived: Bool, at now: Instant) {
        inTransit -= bytes
        guard arrived else { return }
        speed.measure(cost: Double(bytes), seconds: now.since(last) / .seconds(1))
        last = now
    }

    /// Bytes per second; nil before the first measurement.
    package var rate: Double? { speed.rate }

    /// The time until `bytes` that are sent now have arrived. While nothing is measured, that of `assumed` bytes per
    /// second.
    package func seconds(for bytes: Int, assumed: Double = .infinity) -> Double {
        Double(inTransit + bytes) / (rate ?? assumed)
    }
}
