import ProgramTask

/// How many items go to a slot at once: one unless the program is short, since a node runs those of a series without
/// waiting for this process. Pure.
struct SeriesLength: Sendable {
    /// The seconds of the latest runs, and the bytes of their outputs.
    private var latest: [(seconds: Double, bytes: Int)] = []

    /// Seconds that a series should take: much more than a message takes, and too short to be waited for.
    static let seconds = 0.02
    /// Runs that must be known.
    static let known = 16
    /// Most bytes of the inputs of an item, and of the outputs of a run on average.
    static let bytes = 32 << 10

    /// Notes a run.
    mutating func note(_ output: ProgramOutput) {
        if latest.count == Self.known { latest.removeFirst() }
        latest.append((output.seconds, output.contents.count))
    }

    /// The number for the next series, if `left` items are left: no slot gets more than an eighth of them.
    func count(of left: Int) -> Int {
        let bytes = latest.reduce(0) { $0 + $1.bytes }
        guard latest.count == Self.known, bytes <= Self.known * Self.bytes else { return 1 }
        let mean = latest.reduce(0) { $0 + $1.seconds } / Double(Self.known)
        let fitting = mean > 0 ? min(Self.seconds / mean, Double(ProgramSeries.most)) : Double(ProgramSeries.most)
        return max(1, min(Int(fitting), left / 8))
    }
}
