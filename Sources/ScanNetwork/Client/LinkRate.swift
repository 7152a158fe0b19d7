package import ScanCluster

/// The rate at which a link takes bytes, measured while its socket is full; otherwise the sender is the limit. Pure.
package struct LinkRate: Sendable {
    /// Bytes per second; nil until it was measured.
    package private(set) var bytesPerSecond: Double?
    private var start: (instant: Instant, sent: Int)?

    /// Shortest time that is measured: a socket takes bytes in portions.
    private static let least = Duration.milliseconds(40)
    /// Time after which a measurement has lost most of its weight, in seconds.
    private static let memory = 0.1

    package init() {}

    /// The socket became full, or took all bytes after that; `sent`: bytes that it has taken since the connection was
    /// made.
    package mutating func note(isFull: Bool, sent: Int, at now: Instant) {
        measure(sent: sent, at: now)
        start = isFull ? (now, sent) : nil
    }

    /// The socket has taken `sent` bytes until `now`.
    package mutating func measure(sent: Int, at now: Instant) {
        guard let start else { return }
        let time = now.since(start.instant)
        guard time >= Self.least else { return }
        let seconds = time / .seconds(1)
        let rate = Double(sent - start.sent) / seconds
        let weight = bytesPerSecond == nil ? 1 : seconds / (seconds + Self.memory)
        bytesPerSecond = (1 - weight) * (bytesPerSecond ?? 0) + weight * rate
        self.start = (now, sent)
    }
}
