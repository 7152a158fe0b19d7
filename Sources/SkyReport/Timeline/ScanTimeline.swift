public import SkyFITS

/// The record of a scan: its attempts with system and times, and the systems that joined and left.
///
/// Its mutating methods record the scan's events. Times are in seconds since the scan began.
public struct ScanTimeline: Equatable, Sendable {
    /// A system that was available to the scan.
    public struct System: Encodable, Equatable, Sendable {
        /// Name for users, unique in a scan.
        public let name: String
        /// Tasks it runs at the same time.
        public internal(set) var slots: Int
        /// Whether it is connected now.
        public internal(set) var isPresent: Bool
    }

    /// An event with a line for the log.
    public struct Moment: Encodable, Equatable, Sendable {
        /// Kind of an event.
        public enum Kind: String, Encodable, Sendable { case joined, left, retried, failed, note }
        /// Seconds since the scan began.
        public let time: Double
        /// Kind of the event.
        public let kind: Kind
        /// Index of the system concerned, if there is one.
        public let system: Int?
        /// The line for the log.
        public let text: String
    }

    /// Tasks that are distributed together.
    public struct Round: Equatable, Sendable {
        /// The step that they belong to.
        public let step: String
        /// The pixels that each works on.
        public let sectors: [PixelRect]
        /// The pixels of those whose results come from the journal.
        public let resumed: [PixelRect]
    }

    /// State of the tasks of the last round.
    package struct Standing: Equatable {
        package var step: String
        /// Tasks with a running attempt.
        package var open: Int
        /// Tasks that wait for one.
        package var waiting: Int
        /// Systems with a running attempt.
        package var busy: [String]
    }

    /// Systems in the order in which they were first seen.
    public internal(set) var systems: [System] = []
    /// Attempts in the order in which they began.
    public internal(set) var attempts: [Attempt] = []
    /// Events in order; only the newest ``momentLimit`` are kept.
    public internal(set) var moments: [Moment] = []
    /// Number of all events, dropped ones included.
    public internal(set) var momentCount = 0
    /// The rounds of steps that were begun, in order.
    public private(set) var rounds: [Round] = []
    /// The work of tasks whose results come from the journal, in pixels as ``Attempt/cost``.
    public private(set) var resumedCost = 0.0
    /// When the scan ended; nil while it runs.
    public internal(set) var end: Double?

    /// Maximum number of moments that are kept.
    public static let momentLimit = 1000

    package var step: String { rounds.last?.step ?? "" }
    private var sectors: [PixelRect] { rounds.last?.sectors ?? [] }
    /// Tasks of the last round that need no further attempt.
    private var closedTasks = 0
    /// Indices in ``attempts`` of the running ones, by the task's index.
    package var open: [Int: [Int]] = [:]

    /// Nothing has happened.
    public init() {}

    /// A round of a step begins: a task for each sector of `waiting` is distributed, in that order; the results of
    /// `resumed` come from the journal.
    public mutating func begin(step: String, waiting: [PixelRect], resumed: [PixelRect]) {
        rounds.append(Round(step: step, sectors: waiting, resumed: resumed))
        closedTasks = 0
        open = [:]
    }

    /// The results of tasks of this cost come from the journal.
    public mutating func resume(cost: Double) { resumedCost += cost }

    /// An attempt began. A second one at a task whose first is running is a hedge.
    public mutating func start(task: Int, number: Int, on system: String, cost: Double, at time: Double) {
        var isHedge = false
        for place in open[task] ?? [] {
            if attempts[place].number == number {
                // Its system drained and returned the task.
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

    /// An attempt succeeded after `seconds` of execution; other attempts at the task are superseded.
    public mutating func finish(task: Int, number: Int, seconds: Double, at time: Double) {
        closedTasks += 1
        for place in open[task] ?? [] {
            let isWinner = attempts[place].number == number
            if isWinner { attempts[place].seconds = max(0, min(seconds, time - attempts[place].start)) }
            close(place, of: task, as: isWinner ? .done : .superseded, at: time)
        }
    }

    /// An attempt failed; the task is tried again.
    public mutating func retry(task: Int, number: Int, on system: String, reason: String, at time: Double) {
        let index = index(of: system)
        let outcome: Attempt.Outcome = systems[index].isPresent ? .retried : .lost
        for place in open[task] ?? [] where attempts[place].number == number {
            attempts[place].reason = reason
            close(place, of: task, as: outcome, at: time)
        }
        add(.retried, index, "attempt \(number) on \(system) failed: \(reason)", at: time)
    }

    /// The task was given up.
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

    /// The scan has ended; running attempts are superseded.
    public mutating func finish(at time: Double) {
        for (task, places) in open {
            for place in places { close(place, of: task, as: .superseded, at: time) }
        }
        end = time
    }
}
