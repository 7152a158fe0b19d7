/// The part of the network that the links to all systems share, such as the interface of this machine. Pure.
///
/// It is recognised by its effect: several links with transfers at the same time are together slower than each of them
/// alone. Until that has been seen the links count as independent.
package struct SharedLink: Equatable, Sendable {
    /// Bytes per second of all links together; nil while nothing shows a limit.
    private(set) var capacity: Double?

    /// Links are shared if together they have less than this part of the sum of their own rates.
    private static let sharedPart = 0.7
    /// Weight of the newest measurement while the capacity falls.
    private static let weight = 0.3

    /// Rates were measured on links that had transfers at the same time.
    /// - Parameter busy: for each of them the rate, and the rate that it has alone if that is known.
    mutating func measure(_ busy: [(rate: Double, alone: Double?)]) {
        let total = busy.reduce(0) { $0 + $1.rate }
        if let capacity, total > capacity {
            self.capacity = total
            return
        }
        guard busy.count > 1 else { return }
        let alone = busy.reduce(0) { $0 + ($1.alone ?? $1.rate) }
        guard busy.contains(where: { $0.alone != nil }), total < Self.sharedPart * alone else { return }
        capacity = capacity.map { $0 + Self.weight * (total - $0) } ?? total
    }

    /// Seconds that `bytes` of all links need at least.
    func seconds(for bytes: Double) -> Double { capacity.map { bytes / $0 } ?? 0 }
}
