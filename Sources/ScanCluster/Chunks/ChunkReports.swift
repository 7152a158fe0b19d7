internal import Synchronization

/// Passes what the tasks of a chunk report on as reports of the chunk, whose fraction shows which task that is.
final class ChunkReporter: TaskReporter {
    private let chunk: any TaskReporter
    private let count: Int
    private let place = Atomic<Int>(0)

    /// Reports of `count` tasks to `chunk`.
    init(_ chunk: any TaskReporter, count: Int) { (self.chunk, self.count) = (chunk, count) }

    /// The task at this place begins.
    func begin(_ place: Int) { self.place.store(place, ordering: .relaxed) }

    func report(_ report: TaskReport) { chunk.report(report.ofPart(place.load(ordering: .relaxed), of: count)) }
}

extension TaskReport {
    /// The largest fraction of a task in that of its chunk: 1 would be the beginning of the next task.
    private static let almostAll = 1 - 1e-6

    /// The report of a chunk of `count` tasks for that of its task at `place`, where the tasks before it are done.
    func ofPart(_ place: Int, of count: Int) -> TaskReport {
        let count = Double(count)
        return switch self {
        case .progress(let fraction, let message):
            .progress((Double(place) + min(fraction, Self.almostAll)) / count, message)
        case .line(let line, _): .line(line, at: (Double(place) + 0.5) / count)
        }
    }

    /// The task, and its report, that a chunk of `count` tasks has reported by this.
    func part(of count: Int) -> (place: Int, report: TaskReport) {
        func place(_ fraction: Double) -> (Int, rest: Double) {
            let done = fraction * Double(count)
            let place = min(Int(done + 1e-9), count - 1)
            return (place, max(0, done - Double(place)))
        }
        switch self {
        case .progress(let fraction, let message):
            let (place, rest) = place(fraction)
            return (place, .progress(rest > Self.almostAll - 1e-7 ? 1 : rest, message))
        case .line(let line, let fraction): return (place(fraction).0, .line(line))
        }
    }
}
