/// The speed-up of a scan over one of its systems alone, derived from the timeline of the scan. Performs no I/O.
///
/// The factor is T(alone) / T. T is the time from the start of the command until its sources were complete. T(alone) is
/// the time in which no task ran on any system, when only the coordinator worked, plus, for each step, the time that
/// its tasks would take on the slots of the one system, one per slot at a time, at the pace of its own tasks. Reading
/// pixels also takes time of the one system's processors if its slots use all of them.
///
/// The pace is that of the system alone only if no other system used its processors. The factor is at most the ratio of
/// the slots, which is the factor without any loss.
public struct SpeedUp: Encodable, Equatable, Sendable {
    /// The speed-up, rounded to two decimals.
    public let factor: Double
    /// Name of the system with which the scan is compared.
    public let over: String

    /// Creates a known speed-up.
    public init(factor: Double, over: String) { (self.factor, self.over) = (factor, over) }

    /// Computes the speed-up of a scan that has ended; nil if only one system finished tasks, if the reference system
    /// finished too few to determine its pace, or if it may have shared its processors with another system.
    ///
    /// - Parameters:
    ///   - timeline: the record of the scan.
    ///   - before: seconds from the start of the command to the start of the timeline.
    ///   - local: name of the coordinator's own system, which is the reference system if it has slots; otherwise the
    ///     system that did the most work is.
    ///   - processorSeconds: time in which a processor ran the local system's tasks; nil if unknown. On few processors,
    ///     the coordinator's other threads, which send pixels to nodes, delay its own tasks; alone, it would send none.
    ///   - readingSeconds: time that reading the pixels would take from the reference system's slots; 0 if it has spare
    ///     processors.
    ///   - areApart: returns whether two systems, by name, are known to have no processor in common.
    public init?(
        of timeline: ScanTimeline, before: Double = 0, local: String, processorSeconds: Double? = nil,
        readingSeconds: Double = 0, areApart: (String, String) -> Bool
    ) {
        guard let end = timeline.end, end > 0 else { return nil }
        let done = timeline.attempts.filter { $0.outcome == .done && $0.seconds != nil }
        let steps = Dictionary(grouping: done, by: \.step)
        guard let heaviest = steps.values.max(by: { $0.cost < $1.cost }) else { return nil }
        let shares = Dictionary(grouping: done, by: \.system)
        let most = shares.max { ($0.value.cost, $1.key) < ($1.value.cost, $0.key) }?.key
        let systems = timeline.systems
        guard shares.count > 1, let one = systems.firstIndex(where: { $0.name == local && $0.slots > 0 }) ?? most,
            shares.keys.allSatisfy({ $0 == one || areApart(systems[$0].name, systems[one].name) })
        else { return nil }
        let slots = systems[one].slots
        let sample = heaviest.filter { $0.system == one }
        guard sample.count >= slots, sample.seconds > 0 else { return nil }
        // In steps where the reference system finished no task, its speed relative to the mean is assumed to be that of
        // the heaviest step.
        let relative = sample.pace / heaviest.pace
        // An attempt without a result, such as a hedge, also took processor time.
        let scanning = timeline.attempts.reduce(0) { sum, attempt in
            attempt.system == one ? sum + (attempt.seconds ?? max(0, (attempt.end ?? end) - attempt.start)) : sum
        }
        let isDelayed = systems[one].name == local && scanning > 0
        let undelayed = isDelayed ? min(1, (processorSeconds ?? scanning) / scanning) : 1
        let outside = before + end - timeline.busySeconds + (isDelayed ? readingSeconds : 0)
        let alone = steps.values.reduce(outside) { sum, step in
            let own = step.filter { $0.system == one }
            let pace = own.cost > 0 ? own.pace : step.pace * relative
            return sum + step.duration(slots: slots, pace: pace * undelayed)
        }
        let ratio = Double(shares.keys.reduce(0) { $0 + systems[$1].slots }) / Double(slots)
        self.init(factor: (min(alone / (before + end), ratio) * 100).rounded() / 100, over: systems[one].name)
    }
}

extension ScanTimeline {
    /// Total time in seconds in which a task ran on some system.
    fileprivate var busySeconds: Double {
        var (total, reached) = (0.0, 0.0)
        for attempt in attempts.sorted(by: { $0.start < $1.start }) {
            let end = attempt.end ?? end ?? attempt.start
            total += max(0, end - max(attempt.start, reached))
            reached = max(reached, end)
        }
        return total
    }
}

extension [Attempt] {
    fileprivate var cost: Double { reduce(0) { $0 + $1.cost } }
    fileprivate var seconds: Double { reduce(0) { $0 + ($1.seconds ?? 0) } }
    /// Seconds per unit of cost.
    fileprivate var pace: Double { seconds / cost }

    /// Returns the time that `slots` slots of this pace need for these tasks, in the order in which they began.
    fileprivate func duration(slots: Int, pace: Double) -> Double {
        var busy = [Double](repeating: 0, count: Swift.min(slots, count))
        for attempt in sorted(by: { $0.start < $1.start }) {
            guard let free = busy.indices.min(by: { busy[$0] < busy[$1] }) else { break }
            busy[free] += attempt.cost * pace
        }
        return busy.max() ?? 0
    }
}
