public import SkyImage

/// The course of a scan: which attempt ran where and when, and who came and went.
///
/// Its methods are the scan's events; time comes in as seconds since the scan began.
public struct ScanTimeline: Equatable, Sendable {
    /// Somebody who ran tasks or could have.
    public struct System: Equatable, Sendable {
        /// Name for users, unique in a scan.
        public let name: String
        /// Tasks it runs at the same time.
        public internal(set) var slots: Int
        /// Whether it can be reached now.
        public internal(set) var isPresent: Bool
    }

    /// Something that is told of in a line.
    public struct Moment: Equatable, Sendable {
        /// What happened.
        public enum Kind: String, Codable, Sendable { case joined, left, retried, failed, note }
        /// When.
        public let time: Double
        /// What happened.
        public let kind: Kind
        /// Index of the system it happened to, if it did.
        public let system: Int?
        /// The line.
        public let text: String
    }

    /// Tasks that are farmed out together.
    public struct Round: Equatable, Sendable {
        /// What they are part of.
        public let step: String
        /// The pixels that each works on.
        public let sectors: [PixelRect]
        /// The pixels of those that an earlier run did.
        public let resumed: [PixelRect]
    }

    /// How the tasks of the last round stand.
    struct Standing: Equatable {
        var step: String
        /// Tasks with an attempt under way.
        var open: Int
        /// Tasks that wait for one.
        var waiting: Int
        /// Systems with an attempt under way.
        var busy: [String]
    }

    /// Those who took part, in the order in which they came.
    public internal(set) var systems: [System] = []
    /// Attempts in the order in which they began.
    public internal(set) var attempts: [Attempt] = []
    /// What happened, in order. The newest ``momentLimit`` are kept.
    public internal(set) var moments: [Moment] = []
    /// Everything that happened, what is kept no more included.
    public internal(set) var momentCount = 0
    /// The rounds of steps that were begun, in order.
    public private(set) var rounds: [Round] = []
    /// The sectors of each step whose results an earlier run left.
    public private(set) var resumed: [String: [PixelRect]] = [:]
    /// The work of tasks that an earlier run did, in pixels as ``Attempt/cost``.
    public private(set) var resumedCost = 0.0
    /// When the scan ended; nil while it runs.
    public internal(set) var end: Double?

    /// Most moments that are kept.
    public static let momentLimit = 1000

    var step: String { rounds.last?.step ?? "" }
    private var sectors: [PixelRect] { rounds.last?.sectors ?? [] }
    /// Tasks of the last round that need no further attempt.
    private var closedTasks = 0
    /// Places in ``attempts`` of those under way, by the task's index.
    var open: [Int: [Int]] = [:]

    /// Nothing has happened.
    public init() {}

    /// A round of a step begins: the tasks that work on `waiting` are farmed out, in that order; those of `resumed` were
    /// done by an earlier run.
    public mutating func begin(step: String, waiting: [PixelRect], resumed: [PixelRect]) {
        rounds.append(Round(step: step, sectors: waiting, resumed: resumed))
        closedTasks = 0
        open = [:]
        if !resumed.isEmpty { self.resumed[step, default: []] += resumed }
    }

    /// So much of the work was done by an earlier run.
    public mutating func resume(cost: Double) { resumedCost += cost }

    /// An attempt began. A second one at a task whose first is under way is a hedge.
    public mutating func start(task: Int, number: Int, on system: String, cost: Double, at time: Double) {
        var isHedge = false
        for place in open[task] ?? [] {
            if attempts[place].number == number {
                // Its system left in order and gave it back.
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

    /// An attempt gave the task's output, after `seconds` of scanning; others at the task are of no use any more.
    public mutating func finish(task: Int, number: Int, seconds: Double, at time: Double) {
        closedTasks += 1
        for place in open[task] ?? [] {
            let isWinner = attempts[place].number == number
            if isWinner { attempts[place].seconds = max(0, min(seconds, time - attempts[place].start)) }
            close(place, of: task, as: isWinner ? .done : .superseded, at: time)
        }
    }

    /// An attempt came to nothing; the task is tried again.
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

    /// How the last round stands.
    var round: Standing {
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

    /// The scan has ended: what is under way comes to nothing.
    public mutating func finish(at time: Double) {
        for (task, places) in open {
            for place in places { close(place, of: task, as: .superseded, at: time) }
        }
        end = time
    }
}
