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
        /// The type of the task, and the system; or the item.
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

    /// An attempt under way.
    private struct Open {
        var system: String
        /// Number of items of its task.
        var items: Int
    }

    /// A run of tasks.
    private struct Run {
        var type: String
        /// Nil for tasks that have no items.
        var items: PageItems?

        /// How a task is called.
        func name(of index: Int) -> String { items?.task(index).name ?? "task \(index + 1)" }
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
    private var runs: [Int: Run] = [:]
    private var lastRun = 0
    private var open: [Attempt: Open] = [:]
    /// Number of items that are to be done, by type. Only tasks of these types have items.
    private(set) var planned: [String: Int] = [:]
    /// Number of items with a result, by system.
    private(set) var itemsDone: [String: Int] = [:]
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

    /// A run of tasks of this type begins. Of tasks with items only the attempts are counted by ``note(_:of:at:)``.
    /// - Returns: Its number.
    mutating func begin(_ type: String, _ items: PageItems? = nil) -> Int {
        lastRun += 1
        runs[lastRun] = Run(type: type, items: items)
        types[type, default: Counts()].done += 0
        if items != nil { planned[type, default: 0] += 0 }
        return lastRun
    }

    /// The run is over, and none of its tasks runs any more.
    mutating func end(_ run: Int) {
        runs[run] = nil
        open = open.filter { $0.key.run != run }
        reported = reported.filter { $0.key.run != run }
    }

    /// Records an event of a run.
    mutating func note(_ event: TaskEvent, of run: Int, at time: Double) {
        guard let known = runs[run] else { return }
        let type = known.type
        switch event {
        case .systemJoined(let name, let slots):
            add(Line(time: time, kind: "joined", text: "\(name.printable) joined, with \(slots) slots"))
        case .systemLeft(let name):
            add(Line(time: time, kind: "left", text: "\(name.printable) left"))
        case .taskStarted(let index, let system, let attempt, _):
            let items = known.items?.task(index).count ?? 1
            open[Attempt(run: run, index: index, attempt: attempt)] = Open(system: system.printable, items: items)
        case .taskHedged, .taskRecalled: break
        case .taskProgressed(let index, let system, let attempt, let fraction, let message):
            let attempt = Attempt(run: run, index: index, attempt: attempt)
            // A report may come after the end.
            guard open[attempt] != nil else { return }
            let about = "\(type.printable), \(known.name(of: index).printable) on \(system.printable)"
            reported[attempt] = Progress(
                about: about, fraction: (fraction * 1000).rounded() / 1000, message: message.printable)
        case .taskLogged(let index, let system, _, let line):
            add(Line(time: time, kind: "logged", text: "\(known.name(of: index)) on \(system): \(line)".printable))
        case .taskFinished(let index, _, _, _, let seconds):
            close(index, of: run)
            if known.items == nil { finish(type, seconds, at: time) }
        case .taskRetried(let index, let system, let attempt, let reason, let log),
            .attemptLost(let index, let system, let attempt, let reason, let log):
            remove(Attempt(run: run, index: index, attempt: attempt))
            types[type, default: Counts()].retried += 1
            fail(type, "attempt \(attempt) at \(known.name(of: index)) on \(system)", reason, log, at: time)
        case .taskFailed(let index, _, let failure):
            close(index, of: run)
            noteGivenUp(index, of: known, failure, at: time)
        }
    }

    /// A task is given up. Its items, if it has several, are done apart from now on; of one the run says what became of it.
    private mutating func noteGivenUp(_ index: Int, of run: Run, _ failure: TaskFailure, at time: Double) {
        if let task = run.items?.task(index) {
            guard task.count > 1 else { return }
            types[run.type, default: Counts()].retried += 1
            fail(run.type, "\(task.name), now one by one", failure.description, failure.log, at: time)
            return
        }
        types[run.type, default: Counts()].failed += 1
        fail(run.type, "\(run.name(of: index)), given up", failure.description, failure.log, at: time)
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
        return open.removeValue(forKey: attempt) != nil
    }

    /// The reports of attempts that run, in the order of their tasks; at most ``progressLimit``.
    var progress: [Progress] { reported.sorted { $0.key < $1.key }.prefix(Self.progressLimit).map(\.value) }

    /// Number of attempts under way, by type; of tasks with items, the number of items that run on systems with so many
    /// slots.
    func running(on slots: [String: Int]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for attempt in open.keys {
            if let run = runs[attempt.run], run.items == nil { counts[run.type, default: 0] += 1 }
        }
        for load in itemLoads(on: slots) { counts[load.type, default: 0] += load.running }
        return counts
    }

    /// Items of a type that one system has.
    struct ItemLoad: Equatable {
        var type: String
        var system: String
        var running: Int
        /// Those that wait there.
        var scheduled: Int
    }

    /// The items that each system has. Of a task one item runs at a time, and as many tasks as there are slots for them.
    func itemLoads(on slots: [String: Int]) -> [ItemLoad] {
        if planned.isEmpty { return [] }
        var loads: [String: [String: ItemLoad]] = [:]
        for (attempt, open) in open {
            guard let run = runs[attempt.run], let items = run.items else { continue }
            var load =
                loads[run.type]?[open.system] ?? ItemLoad(type: run.type, system: open.system, running: 0, scheduled: 0)
            let isRunning = load.running < max(1, slots[open.system, default: 1] / max(1, items.slots))
            load.running += isRunning ? 1 : 0
            load.scheduled += open.items - (isRunning ? 1 : 0)
            loads[run.type, default: [:]][open.system] = load
        }
        return loads.values.flatMap(\.values)
    }

    // MARK: Tasks

    /// The response to a task, or the result of an item, came from a journal.
    mutating func noteRecorded(_ type: String) { types[type, default: Counts()].recorded += 1 }

    /// Further items are to be done.
    mutating func plan(_ items: Int, of type: String) { planned[type, default: 0] += items }

    /// Number of items that have not begun, while so many run.
    func waiting(running: Int) -> Int {
        let ended = planned.keys.reduce(0) { sum, type in
            let counts = types[type] ?? Counts()
            return sum + counts.done + counts.failed + counts.recorded
        }
        return max(0, planned.values.reduce(0, +) - ended - running)
    }

    /// An attempt at an item has ended.
    mutating func noteItem(_ name: String, of type: String, on system: String?, _ end: PageItems.End, at time: Double) {
        let place = "\(name)\(system.map { " on \($0)" } ?? "")"
        switch end {
        case .done(let seconds):
            if let system { itemsDone[system.printable, default: 0] += 1 }
            finish(type, seconds, at: time)
            note("done", place, at: time)
        case .recorded:
            noteRecorded(type)
            note("done", "\(name), by an earlier run", at: time)
        case .triedAgain(let reason, let lines):
            types[type, default: Counts()].retried += 1
            fail(type, "\(place), tried again", reason, lines, at: time)
        case .failed(let reason, let lines):
            types[type, default: Counts()].failed += 1
            fail(type, place, reason, lines, at: time)
        }
    }

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
        // Items have names of their own.
        let failure = Failure(
            about: planned[type] == nil ? "\(type.printable), \(about.printable)" : about.printable,
            text: reason.printable, log: log.map(\.printable))
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
