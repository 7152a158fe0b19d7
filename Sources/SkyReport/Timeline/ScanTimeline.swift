public import SkyFITS

/// The record of a scan: its attempts with systems and times, and the systems that joined and left.
///
/// Its mutating methods record the scan's events: ``begin(step:waiting:resumed:)`` starts a round of tasks,
/// ``start(task:number:on:cost:at:)`` starts an attempt at one of them, and ``finish(task:number:seconds:at:)``,
/// ``retry(task:number:on:reason:at:)`` or ``fail(task:reason:at:)`` ends it. ``LiveUpdate`` passes the record to
/// pages, and ``SpeedUp`` is derived from it. Times are in seconds since the scan began.
public struct ScanTimeline: Equatable, Sendable {
    /// A system that was available to the scan.
    public struct System: Encodable, Equatable, Sendable {
        /// Name for users, unique within a scan.
        public let name: String
        /// Number of tasks that it runs at the same time.
        public internal(set) var slots: Int
        /// Whether it is currently connected.
        public internal(set) var isPresent: Bool
    }

    /// An event with a line for the log.
    public struct Moment: Encodable, Equatable, Sendable {
        /// The kind of an event.
        public enum Kind: String, Encodable, Sendable { case joined, left, retried, failed, note }
        /// Seconds since the scan began.
        public let time: Double
        /// The event that the line describes.
        public let kind: Kind
        /// Index of the system concerned; nil if there is none.
        public let system: Int?
        /// The line for the log.
        public let text: String
    }

    /// Tasks that are distributed together.
    public struct Round: Equatable, Sendable {
        /// The step to which the tasks belong.
        public let step: String
        /// The pixels that each task processes.
        public let sectors: [PixelRect]
        /// The pixels of the tasks whose results come from the journal.
        public let resumed: [PixelRect]
    }

    /// State of the tasks of the last round.
    package struct Standing: Equatable {
        package var step: String
        /// Number of tasks with a running attempt.
        package var open: Int
        /// Number of tasks that wait for an attempt.
        package var waiting: Int
        /// Names of the systems with a running attempt.
        package var busy: [String]

        package init(step: String, open: Int, waiting: Int, busy: [String]) {
            (self.step, self.open, self.waiting, self.busy) = (step, open, waiting, busy)
        }
    }

    /// Systems in the order in which they were first seen.
    public internal(set) var systems: [System] = []
    /// Attempts in the order in which they began.
    public internal(set) var attempts: [Attempt] = []
    /// Events in order; only the newest ``momentLimit`` are kept.
    public internal(set) var moments: [Moment] = []
    /// Number of all events, including dropped ones.
    public internal(set) var momentCount = 0
    /// The rounds begun so far, in order.
    public private(set) var rounds: [Round] = []
    /// Work of the tasks whose results come from the journal, in the unit of ``Attempt/cost``.
    public private(set) var resumedCost = 0.0
    /// Time of the end of the scan; nil while it runs.
    public internal(set) var end: Double?

    /// Maximum number of events that are kept.
    public static let momentLimit = 1000

    package var step: String { rounds.last?.step ?? "" }
    private var sectors: [PixelRect] { rounds.last?.sectors ?? [] }
    /// Number of tasks of the last round that need no further attempt.
    private var closedTasks = 0
    /// Indices in ``attempts`` of the running attempts, by the index of the task.
    package var open: [Int: [Int]] = [:]

    /// Creates a timeline without events.
    public init() {}

    /// Records that a round of a step begins: one task for each sector of `waiting` is distributed, in that order; the
    /// results of `resumed` come from the journal.
    public mutating func begin(step: String, waiting: [PixelRect], resumed: [PixelRect]) {
        rounds.append(Round(step: step, sectors: waiting, resumed: resumed))
        closedTasks = 0
        open = [:]
    }

    /// Records that results of tasks of this cost come from the journal.
    public mutating func resume(cost: Double) { resumedCost += cost }

    /// Records that an attempt began. A second attempt at a task, while the first one is running, is a hedge.
    public mutating func start(task: Int, number: Int, on system: String, cost: Double, at time: Double) {
        var isHedge = false
        for place in open[task] ?? [] {
            if attempts[place].number == number {
                // The system was draining and returned the task.
                close(place, of: task, as: .returned, at: time)
            } else {
                isHedge = true
            }
        }
        open[task, default: []].append(attempts.count)
        attempts.append(
            Attempt(
                step: step, task: task, number: number, system: index(of: system), isHedge: isHedge,
                sector: sectors.indices.contains(task) ? sectors[task] : nil, cost: cost, start: time))
    }

    /// Records that an attempt succeeded after `seconds` of execution; other attempts at the task are superseded.
    public mutating func finish(task: Int, number: Int, seconds: Double, at time: Double) {
        closedTasks += 1
        for place in open[task] ?? [] {
            let isWinner = attempts[place].number == number
            if isWinner { attempts[place].seconds = max(0, min(seconds, time - attempts[place].start)) }
            close(place, of: task, as: isWinner ? .done : .superseded, at: time)
        }
    }

    /// Records that an attempt failed and its task is retried.
    public mutating func retry(task: Int, number: Int, on system: String, reason: String, at time: Double) {
        let index = index(of: system)
        let outcome: Attempt.Outcome = systems[index].isPresent ? .retried : .lost
        for place in open[task] ?? [] where attempts[place].number == number {
            attempts[place].reason = reason
            close(place, of: task, as: outcome, at: time)
        }
        add(.retried, index, "attempt \(number) on \(system) failed: \(reason)", at: time)
    }

    /// Records that a task has failed finally.
    public mutating func fail(task: Int, reason: String, at time: Double) {
        closedTasks += 1
        for place in open[task] ?? [] {
            attempts[place].reason = reason
            close(place, of: task, as: .failed, at: time)
        }
        add(.failed, nil, reason, at: time)
    }

    /// State of the last round.
    package var round: Standing {
        let places = open.values.joined()
        return Standing(
            step: step, open: open.count, waiting: max(0, sectors.count - closedTasks - open.count),
            busy: Set(places.map { attempts[$0].system }).sorted().map { systems[$0].name })
    }

    private mutating func close(_ place: Int, of task: Int, as outcome: Attempt.Outcome, at time: Double) {
        attempts[place].outcome = outcome
        attempts[place].end = time
        open[task]?.removeAll { $0 == place }
        if open[task]?.isEmpty == true { open[task] = nil }
    }

    /// Records the end of the scan; running attempts are superseded.
    public mutating func finish(at time: Double) {
        for (task, places) in open {
            for place in places { close(place, of: task, as: .superseded, at: time) }
        }
        end = time
    }
}
