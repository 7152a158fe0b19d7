/// Decides how many tasks a chunk has, by their measured time: one if they are long, more the shorter they are. Pure.
package struct ChunkSize: Equatable, Sendable {
    /// Scanning time that one chunk should take: long compared to the cost of a message, short for a user.
    private static let seconds = 2e-3
    /// Share of the newest chunk in the average.
    private static let weight = 0.2

    /// Most tasks in a chunk.
    package let limit: Int
    private var average: Double?

    /// At most `limit` tasks in a chunk.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Tasks for the next chunk. One before the first measurement.
    package var count: Int {
        guard let average else { return 1 }
        return average * Double(limit) <= Self.seconds ? limit : max(1, Int(Self.seconds / average))
    }

    /// Records that the tasks of a chunk took `seconds` each, on average.
    package mutating func measure(_ seconds: Double) {
        guard seconds.isFinite, seconds >= 0 else { return }
        average = average.map { $0 + Self.weight * (seconds - $0) } ?? seconds
    }
}
