package import ScanCluster

/// The rate at which a link delivers bytes, measured while its socket is full; otherwise the sender is the limit. Pure.
///
/// Bytes count when they are acknowledged. Those that the socket and the network merely take fill buffers at first, many
/// times as fast as the link carries them.
package struct LinkRate: Sendable {
    /// Bytes per second; nil until it was measured.
    package private(set) var bytesPerSecond: Double?
    private var start: (instant: Instant, delivered: Int)?

    /// Shortest time that is measured: a socket takes bytes in portions.
    private static let least = Duration.milliseconds(40)
    /// Time after which a measurement has lost most of its weight, in seconds.
    private static let memory = 0.1

    package init() {}

    /// Bytes were delivered at this rate: the link carries no less. On a busy machine this process sees later than the
    /// kernel that bytes were acknowledged, and measures less.
    package mutating func learn(_ bytesPerSecond: Double) {
        self.bytesPerSecond = max(bytesPerSecond, self.bytesPerSecond ?? 0)
    }

    /// The socket became full, or took all bytes after that; `delivered`: bytes that were acknowledged since the
    /// connection was made.
    package mutating func note(isFull: Bool, delivered: Int, at now: Instant) {
        measure(delivered: delivered, at: now)
        start = isFull ? (now, delivered) : nil
    }

    /// `delivered` bytes were acknowledged until `now`; evaluated if enough time has passed.
    package mutating func measure(delivered: @autoclosure () -> Int, at now: Instant) {
        guard let start else { return }
        let time = now.since(start.instant)
        guard time >= Self.least else { return }
        let seconds = time / .seconds(1)
        let delivered = delivered()
        let rate = Double(delivered - start.delivered) / seconds
        let weight = bytesPerSecond == nil ? 1 : seconds / (seconds + Self.memory)
        bytesPerSecond = (1 - weight) * (bytesPerSecond ?? 0) + weight * rate
        self.start = (now, delivered)
    }
}
