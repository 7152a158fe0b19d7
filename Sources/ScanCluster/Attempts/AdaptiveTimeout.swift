/// The time limit of an attempt, derived from the time that other tasks took. Pure.
///
/// Heartbeats detect a node that is silent, but not a task that never ends on a node that answers: a read from a file
/// server that has gone, a scan that loops. The limit is far above what any task takes, since an attempt that is
/// cancelled too early is lost work, and one that is cancelled late costs only time.
public struct AdaptiveTimeout: Equatable, Sendable {
    /// Times the usual time of a task of the same cost.
    public var multiple: Double
    /// Least limit.
    public var least: Duration
    /// Least limit of attempts whose time begins while too few tasks were measured.
    public var leastUnmeasured: Duration
    /// Limit per cost of those, in seconds.
    public var secondsPerCostUnmeasured: Double

    /// The defaults, or other values. The default per cost suits costs in pixels: 25 µs are 400 times what one takes.
    public init(
        multiple: Double = 100, least: Duration = .seconds(60), leastUnmeasured: Duration = .seconds(300),
        secondsPerCostUnmeasured: Double = 25e-6
    ) {
        self.multiple = multiple
        self.least = least
        self.leastUnmeasured = leastUnmeasured
        self.secondsPerCostUnmeasured = secondsPerCostUnmeasured
    }

    /// For tasks of which nothing is known, whose costs may say little about their times: an hour for the first ones, and
    /// then 100 times what tasks of the same cost take, at least 10 minutes.
    public static let ofAnyTask = AdaptiveTimeout(
        least: .seconds(600), leastUnmeasured: .seconds(3600), secondsPerCostUnmeasured: 0)

    /// The limit of an attempt at a task of `cost`, in whole seconds if it is above ``least``.
    package func limit(cost: Double, pace: TaskPace) -> Duration {
        let (floor, perCost) =
            pace.secondsPerCost.map { (least, multiple * $0) } ?? (leastUnmeasured, secondsPerCostUnmeasured)
        // 30 days at most, so that no cost makes it overflow; 0 if the cost is no number.
        let seconds = min(max(0, perCost * cost), 2_592_000)
        return max(floor, .seconds(Int64(seconds.rounded(.up))))
    }
}

/// The time limit of the attempts of a run: fixed, or adapted to what the tasks of the coordinator's runs took so far.
/// One object for all attempts, so that a time-out costs an attempt no more than a reference.
final class TimeLimit: Sendable {
    private enum Rule {
        case fixed(Duration)
        case adaptive(AdaptiveTimeout, Locked<TaskPace>)
    }
    private let rule: Rule

    init(fixed limit: Duration) { rule = .fixed(limit) }

    /// The limit of a run: `fixed`, otherwise `adaptive`; nil if there is none.
    init?(fixed: Duration?, adaptive: AdaptiveTimeout?, pace: Locked<TaskPace>) {
        if let fixed {
            rule = .fixed(fixed)
        } else if let adaptive {
            rule = .adaptive(adaptive, pace)
        } else {
            return nil
        }
    }

    /// The limit of an attempt at a task of `cost`, if its time begins now.
    func limit(cost: Double) -> Duration {
        switch rule {
        case .fixed(let limit): limit
        case .adaptive(let timeout, let pace): pace.withLock { timeout.limit(cost: cost, pace: $0) }
        }
    }

    /// A task of `cost` had its output `time` after its attempt began.
    func measure(cost: Double, time: Duration) {
        if case .adaptive(_, let pace) = rule { pace.withLock { $0.measure(cost: cost, time: time) } }
    }
}

/// The measured time of tasks per cost. Pure.
package struct TaskPace: Equatable, Sendable {
    /// Tasks that must have been measured to expect anything.
    package static let fewest = 3

    private var times = LogHistogram()
    /// The median of the times per cost, within 13 %; of many, that of a moment ago. Nil without any.
    private(set) var roughSecondsPerCost: Double?

    package init() {}

    /// A task of `cost` had its output `time` after its attempt began.
    package mutating func measure(cost: Double, time: Duration) {
        // At least one tick of the clock.
        times.add(max(time, .nanoseconds(1)) / .seconds(1) / cost)
        // To find it takes longer than a small task may.
        if times.count < 64 || times.count % 64 == 0 { roughSecondsPerCost = times.median }
    }

    /// Tasks that were measured.
    package var count: Int { times.count }

    /// The median; nil while too few were measured.
    package var secondsPerCost: Double? { times.count < Self.fewest ? nil : roughSecondsPerCost }
}
