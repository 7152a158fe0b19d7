/// How much of an image each system scanned in each moment.
public struct Throughput: Codable, Equatable, Sendable {
    /// Seconds of a bin; 1, 2 or 5 times a power of ten. The first begins with the scan.
    public let width: Double
    /// Pixels per second, by system and bin.
    public let rates: [[Double]]

    /// The rates of a scan until `end`, in at most `bins` bins.
    ///
    /// The work of an attempt that was of use is spread over the seconds of its scan. It is counted in pixels of the
    /// image: halos and further passes over a pixel are work, but no further pixels. So all rates together make `pixels`,
    /// the pixels of the image, less the share of the work that an earlier run did.
    public init(_ timeline: ScanTimeline, pixels: Int, until end: Double, bins: Int = 120) {
        let done = timeline.attempts.filter { $0.outcome == .done }
        let cost = timeline.resumedCost + done.reduce(0) { $0 + $1.cost }
        width = max(niceStep(max(0, end) / Double(bins)), 0.01)
        let count = max(1, Int((max(0, end) / width).rounded(.up)))
        var rates = timeline.systems.map { _ in [Double](repeating: 0, count: count) }
        for attempt in done {
            guard let end = attempt.end, cost > 0 else { continue }
            let first = max(0, end - (attempt.seconds ?? 0))
            // At least a moment, so that no task vanishes.
            let last = max(end, first + width / 100)
            let rate = attempt.cost / cost * Double(pixels) / (last - first)
            for bin in Self.bin(first, width, count)...Self.bin(last, width, count) {
                let overlap = min(last, Double(bin + 1) * width) - max(first, Double(bin) * width)
                rates[attempt.system][bin] += rate * max(0, overlap) / width
            }
        }
        self.rates = rates
    }

    private static func bin(_ time: Double, _ width: Double, _ count: Int) -> Int {
        min(max(0, Int(time / width)), count - 1)
    }
}
