/// How far the runs on a farm are: per system the tasks that wait there, run and are done. A value of one moment.
///
/// Runs that follow each other without a pause, and runs that overlap, count as one; the counts begin anew when a run
/// begins after a time in which there was none.
public struct RunProgress: Equatable, Sendable {
    /// The tasks of one system, or of all.
    public struct Counts: Equatable, Sendable {
        /// Tasks that were given to the system and wait there for a slot.
        public var scheduled = 0
        /// Tasks that occupy a slot.
        public var running = 0
        /// Tasks whose output came from the system.
        public var completed = 0
        /// Attempts that failed there: the task threw or took too long, or the system was lost with it. The tasks are
        /// tried again, or given up.
        public var failed = 0
        /// Tasks completed per second, over the last five seconds or less; nil until that is measured.
        public var tasksPerSecond: Double?

        /// No tasks.
        public init() {}
    }

    /// A system that takes part, or took part.
    public struct System: Equatable, Sendable {
        /// Its name.
        public var name: String
        /// Number of tasks that it runs at a time; 0 once it has left.
        public var slots: Int
        /// Its tasks.
        public var counts: Counts

        /// A system.
        public init(name: String, slots: Int, counts: Counts = Counts()) {
            (self.name, self.slots, self.counts) = (name, slots, counts)
        }
    }

    /// The systems that are connected, in the order of joining, and those that have left after they had done something.
    public var systems: [System]
    /// Time since the runs began; zero before that.
    public var elapsed: Duration
    /// Whether the runs have ended: this is then the last value of its sequence.
    public var isOver: Bool

    /// A state of runs.
    public init(systems: [System], elapsed: Duration, isOver: Bool = false) {
        (self.systems, self.elapsed, self.isOver) = (systems, elapsed, isOver)
    }

    /// The counts of all systems together.
    public var total: Counts {
        systems.reduce(into: Counts()) { total, system in
            total.scheduled += system.counts.scheduled
            total.running += system.counts.running
            total.completed += system.counts.completed
            total.failed += system.counts.failed
            if let rate = system.counts.tasksPerSecond { total.tasksPerSecond = (total.tasksPerSecond ?? 0) + rate }
        }
    }
}

extension RunProgress: CustomStringConvertible {
    /// One line: the time, the totals, and each system with its counts, if there are several.
    public var description: String {
        let tenths = (elapsed / .milliseconds(100)).rounded(.down)
        let parts = systems.map { "\($0.name) \($0.counts)" }
        let head = "\(tenths / 10) s: \(total)"
        return systems.count < 2 ? head : "\(head); \(parts.joined(separator: "; "))"
    }
}

extension RunProgress.Counts: CustomStringConvertible {
    /// The counts in words; failures and the rate only if there are any.
    public var description: String {
        var words = ["\(completed) completed", "\(running) running", "\(scheduled) scheduled"]
        if failed > 0 { words.append("\(failed) failed") }
        if let tasksPerSecond {
            let rate = tasksPerSecond < 10 ? (tasksPerSecond * 10).rounded() / 10 : tasksPerSecond.rounded()
            words.append(rate < 10 ? "\(rate)/s" : "\(Int(min(rate, 1e15)))/s")
        }
        return words.joined(separator: ", ")
    }
}

/// The rates of systems, from the counts that were read in the last five seconds. Pure.
struct ProgressMeter {
    private static let window = Duration.seconds(5)
    private var readings: [(at: Duration, completed: [String: Int])] = []

    /// Sets the rates of `progress`, and keeps its counts for the next.
    mutating func measure(_ progress: inout RunProgress) {
        // The last reading that is older than the window is kept, so that there is one to compare with.
        while readings.count > 1, progress.elapsed - readings[1].at >= Self.window { readings.removeFirst() }
        let earlier = readings.first ?? (.zero, [:])
        let seconds = (progress.elapsed - earlier.at) / .seconds(1)
        for index in progress.systems.indices where seconds > 0 {
            let system = progress.systems[index]
            let before = earlier.completed[system.name] ?? 0
            progress.systems[index].counts.tasksPerSecond =
                Double(max(0, system.counts.completed - before)) / seconds
        }
        let completed = progress.systems.map { ($0.name, $0.counts.completed) }
        readings.append((progress.elapsed, Dictionary(completed) { $0 + $1 }))
    }
}
