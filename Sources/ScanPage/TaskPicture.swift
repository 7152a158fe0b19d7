import ScanBasics
import ScanCluster

/// What a live page shows of tasks: counts by type, failures and events. Pure; times are in seconds since the page was
/// opened.
struct TaskPicture: Sendable {
    /// Counts of the tasks of a type.
    struct Counts: Equatable, Sendable {
        /// Tasks with an output.
        var done = 0
        /// Tasks that were given up, or of other processes that failed here.
        var failed = 0
        /// Attempts that were followed by another one.
        var retried = 0
        /// Tasks whose response came from a journal.
        var recorded = 0
        /// Seconds of the scans that gave an output.
        var seconds = 0.0
    }

    /// A line of the log.
    struct Line: Encodable, Equatable, Sendable {
        var time: Double
        var kind: String
        var text: String
    }

    /// A failed attempt.
    struct Failure: Encodable, Equatable, Sendable {
        /// The type of the task, and the system.
        var about: String
        var text: String
        var log: [String]
    }

    private struct Attempt: Hashable, Comparable {
        var run: Int
        var index: Int
        var attempt: Int

        static func < (left: Attempt, right: Attempt) -> Bool {
            (left.run, left.index, left.attempt) < (right.run, right.index, right.attempt)
        }
    }

    /// The latest report of an attempt that runs.
    struct Progress: Encodable, Equatable, Sendable {
        /// The type of the task, and its number and system.
        var about: String
        /// The part of the work that is done, from 0 to 1.
        var fraction: Double
        /// The step that the task has reported.
        var message: String
    }

    /// Counts by type of task.
    private(set) var types: [String: Counts] = [:]
    /// Newest failures, oldest first.
    private(set) var failures: [Failure] = []
    /// Newest lines of the log.
    private(set) var log: [Line] = []
    /// Number of lines that were dropped before those in ``log``.
    private(set) var dropped = 0
    private var runs: [Int: String] = [:]
    private var lastRun = 0
    private var open: Set<Attempt> = []
    /// The latest reports of open attempts.
    private var reported: [Attempt: Progress] = [:]
    /// Outputs by second, newest last, for the rate.
    private var recent: [(second: Int, count: Int)] = []

    /// Maximum number of lines in the log.
    static let lineLimit = 500
    /// Maximum number of failures.
    static let failureLimit = 50
    /// Maximum number of attempts whose progress is shown.
    static let progressLimit = 50
    /// Seconds over which the rate is measured.
    static let rateSeconds = 10

    /// Nothing yet.
    init() {}

    // MARK: Runs

    /// A run of tasks of this type begins.
    /// - Returns: Its number.
    mutating func begin(_ type: String) -> Int {
        lastRun += 1
        runs[lastRun] = type
        types[type, default: Counts()].done += 0
        return lastRun
    }

    /// The run is over, and none of its tasks runs any more.
    mutating func end(_ run: Int) {
        runs[run] = nil
        open = open.filter { $0.run != run }
        reported = reported.filter { $0.key.run != run }
    }

    /// Records an event of a run.
    mutating func note(_ event: TaskEvent, of run: Int, at time: Double) {
        guard let type = runs[run] else { return }
        switch event {
        case .systemJoined(let name, let slots):
            add(Line(time: time, kind: "joined", text: "\(name.printable) joined, with \(slots) slots"))
        case .systemLeft(let name):
            add(Line(time: time, kind: "left", text: "\(name.printable) left"))
        case .taskStarted(let index, _, let attempt, _):
            open.insert(Attempt(run: run, index: index, attempt: attempt))
        case .taskHedged, .taskRecalled: break
        case .taskProgressed(let index, let system, let attempt, let fraction, let message):
            let attempt = Attempt(run: run, index: index, attempt: attempt)
            // A report may come after the end.
            guard open.contains(attempt) else { return }
            let about = "\(type.printable), task \(index + 1) on \(system.printable)"
            reported[attempt] = Progress(
                about: about, fraction: (fraction * 1000).rounded() / 1000, message: message.printable)
        case .taskLogged(let index, let system, _, let line):
            add(Line(time: time, kind: "logged", text: "task \(index + 1) on \(system.printable): \(line.printable)"))
        case .taskFinished(let index, _, _, _, let seconds):
            close(index, of: run)
            finish(type, seconds, at: time)
        case .taskRetried(let index, let system, let attempt, let reason, let log),
            .attemptLost(let index, let system, let attempt, let reason, let log):
            remove(Attempt(run: run, index: index, attempt: attempt))
            types[type, default: Counts()].retried += 1
            fail(type, "attempt \(attempt) at task \(index + 1) on \(system)", reason, log, at: time)
        case .taskFailed(let index, _, let failure):
            close(index, of: run)
            types[type, default: Counts()].failed += 1
            fail(type, "task \(index + 1), given up", failure.description, failure.log, at: time)
        }
    }

    /// Removes the attempts at a task that is over.
    private mutating func close(_ index: Int, of run: Int) {
        // A task has few attempts, with numbers from 1.
        var attempt = 1
        while remove(Attempt(run: run, index: index, attempt: attempt)) || attempt < 4 { attempt += 1 }
    }

    @discardableResult
    private mutating func remove(_ attempt: Attempt) -> Bool {
        if !reported.isEmpty { reported[attempt] = nil }
        return open.remove(attempt) != nil
    }

    /// The reports of attempts that run, in the order of their tasks; at most ``progressLimit``.
    var progress: [Progress] { reported.sorted { $0.key < $1.key }.prefix(Self.progressLimit).map(\.value) }

    /// Number of attempts that run, by type.
    var running: [String: Int] {
        open.reduce(into: [:]) { counts, attempt in
            if let type = runs[attempt.run] { counts[type, default: 0] += 1 }
        }
    }

    // MARK: Tasks

    /// The response to a task came from a journal.
    mutating func noteRecorded(_ type: String) { types[type, default: Counts()].recorded += 1 }

    /// A task of another process has run here, and failed for this reason unless it is nil.
    mutating func noteTask(_ type: String, failure: String?, seconds: Double, at time: Double) {
        guard let failure else { return finish(type, seconds, at: time) }
        types[type, default: Counts()].failed += 1
        fail(type, "a task failed", failure, [], at: time)
    }

    /// An event that is not about one task.
    mutating func note(_ kind: String, _ text: String, at time: Double) {
        add(Line(time: time, kind: kind, text: text.printable))
    }

    private mutating func finish(_ type: String, _ seconds: Double, at time: Double) {
        types[type, default: Counts()].done += 1
        types[type, default: Counts()].seconds += seconds
        let second = Int(time)
        if let last = recent.last, last.second == second {
            recent[recent.count - 1].count += 1
        } else {
            recent.append((second, 1))
            if recent.count > Self.rateSeconds + 1 { recent.removeFirst() }
        }
    }

    private mutating func fail(_ type: String, _ about: String, _ reason: String, _ log: [String], at time: Double) {
        let failure = Failure(
            about: "\(type.printable), \(about.printable)", text: reason.printable, log: log.map(\.printable))
        failures = (failures + [failure]).suffix(Self.failureLimit)
        add(Line(time: time, kind: "failed", text: "\(failure.about): \(failure.text)"))
    }

    private mutating func add(_ line: Line) {
        log.append(line)
        guard log.count > Self.lineLimit else { return }
        dropped += log.count - Self.lineLimit
        log.removeFirst(log.count - Self.lineLimit)
    }

    /// Tasks with an output per second, over the last ``rateSeconds`` or since the beginning.
    func rate(at time: Double) -> Double {
        let from = Int(time) - Self.rateSeconds + 1
        let count = recent.reduce(0) { $0 + ($1.second >= from ? $1.count : 0) }
        return Double(count) / max(1, min(time, time - Double(from)))
    }

    /// Total of a count of all types.
    func total(_ count: (Counts) -> Int) -> Int { types.values.reduce(0) { $0 + count($1) } }
}
