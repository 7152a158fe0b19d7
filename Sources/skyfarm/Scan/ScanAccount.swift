import CommandLineKit
import SkyReport

/// What the course of a scan says of its speed: how much faster it was than one system alone, and what held it up. Pure.
struct ScanAccount: Equatable, Sendable {
    /// Times as fast as a system alone would have been; nil if that is not known.
    var speedUp: SpeedUp?
    /// Where most of the slots' time went; nil if that is not known.
    var bound: Bound?

    struct SpeedUp: Encodable, Equatable, Sendable {
        var factor: Double
        /// Name of the system.
        var over: String
    }

    struct Bound: Encodable, Equatable, Sendable {
        var by: Cause
        /// Share of the slots' time.
        var share: Double
    }

    enum Cause: String, CaseIterable, Encodable, Sendable {
        /// Slots scanned.
        case compute
        /// Slots had tasks, whose pixels were on the way to a node.
        case network
        /// Slots had tasks, whose pixels were being read.
        case disk
        /// Slots had no task while others had one: there were too few.
        case tasks
        /// No task was under way anywhere.
        case coordinator
    }

    /// The account of a scan that has ended; `readingSeconds` is the time that went into reading pixels, and `local` the
    /// name of the coordinator's own system.
    init(_ timeline: ScanTimeline, readingSeconds: Double, local: String) {
        // Without systems, an earlier run has done everything.
        guard let end = timeline.end, end > 0, !timeline.systems.isEmpty else { return }
        let times = SlotTimes(timeline, end: end)
        speedUp = Self.speedUp(timeline, seconds: end, serial: times.serial, local: local)
        bound = times.bound(
            isReading: readingSeconds > end / 2, local: timeline.systems.firstIndex { $0.name == local })
    }

    // MARK: Speed-up

    /// Compares the time of the whole with that of one system alone, going by what the slots of that one did: this
    /// machine, or else the one that did most. Nil if it was alone, or did too little to tell.
    private static func speedUp(
        _ timeline: ScanTimeline, seconds: Double, serial: Double, local: String
    ) -> SpeedUp? {
        let work = Dictionary(
            grouping: timeline.attempts.filter { $0.outcome == .done && $0.seconds != nil }, by: \.step)
        guard let step = work.max(by: { $0.value.cost < $1.value.cost })?.value else { return nil }
        let done = Dictionary(grouping: step, by: \.system)
        guard done.count > 1 else { return nil }
        let most = done.max { ($0.value.cost, $1.key) < ($1.value.cost, $0.key) }?.key
        guard let one = timeline.systems.firstIndex(where: { $0.name == local && $0.slots > 0 }) ?? most else {
            return nil
        }
        let system = timeline.systems[one]
        guard let sample = done[one], sample.count >= system.slots, sample.seconds > 0 else { return nil }
        // In steps of which it did nothing, it is as much faster than the mean as in the step of most work.
        let relative = sample.secondsPerCost / step.secondsPerCost
        let alone = work.values.reduce(serial) { sum, step in
            let own = step.filter { $0.system == one }
            let pace = own.cost > 0 ? own.secondsPerCost : step.secondsPerCost * relative
            // As many tasks at a time as it has slots.
            let rounds = (Double(step.count) / Double(system.slots)).rounded(.up)
            return sum + step.cost * pace * rounds / Double(step.count)
        }
        return SpeedUp(factor: alone / seconds, over: system.name)
    }
}

/// Where the time of a scan's slots went, by system.
private struct SlotTimes {
    /// In which it had slots.
    private var present: [Double]
    /// In which slots had a task.
    private var assigned: [Double]
    /// In which slots scanned.
    private var scanning: [Double]
    /// In which attempts were under way that came to nothing.
    private var wasted: [Double]
    /// Seconds in which no task was under way anywhere.
    private(set) var serial = 0.0
    /// Slot time in these.
    private var idle = 0.0
    private let isComplete: Bool

    init(_ timeline: ScanTimeline, end: Double) {
        let zeros = timeline.systems.map { _ in 0.0 }
        (present, assigned, scanning, wasted) = (zeros, zeros, zeros, zeros)
        // Who was there when is known only as long as no moment was dropped.
        isComplete = timeline.moments.count < ScanTimeline.momentLimit
        for attempt in timeline.attempts {
            if let seconds = attempt.seconds, attempt.outcome == .done {
                scanning[attempt.system] += seconds
            } else {
                wasted[attempt.system] += (attempt.end ?? end) - attempt.start
            }
        }
        sweep(timeline, until: end)
    }

    private enum Change {
        case presence(Int)
        case attempts(Int)
    }

    private mutating func sweep(_ timeline: ScanTimeline, until end: Double) {
        var changes: [(time: Double, system: Int, change: Change)] = []
        for moment in timeline.moments {
            guard let system = moment.system else { continue }
            if moment.kind == .joined { changes.append((moment.time, system, .presence(1))) }
            if moment.kind == .left { changes.append((moment.time, system, .presence(0))) }
        }
        for attempt in timeline.attempts {
            changes.append((attempt.start, attempt.system, .attempts(1)))
            changes.append((attempt.end ?? end, attempt.system, .attempts(-1)))
        }
        changes.sort { $0.time < $1.time }
        changes.append((end, 0, .attempts(0)))
        var slots = timeline.systems.map { _ in 0 }
        var open = slots
        var (last, total) = (0.0, 0)
        for (time, system, change) in changes {
            let time = min(time, end)
            for index in slots.indices where slots[index] > 0 {
                present[index] += Double(slots[index]) * (time - last)
                assigned[index] += Double(min(slots[index], open[index])) * (time - last)
            }
            if total == 0 {
                serial += time - last
                idle += Double(slots.reduce(0, +)) * (time - last)
            }
            last = time
            switch change {
            case .presence(let isThere): slots[system] = isThere * timeline.systems[system].slots
            case .attempts(let step):
                open[system] += step
                total += step
            }
        }
    }

    /// The cause that took most of the slots' time.
    func bound(isReading: Bool, local: Int?) -> ScanAccount.Bound? {
        let all = present.reduce(0, +)
        guard isComplete, all > 0 else { return nil }
        var seconds: [ScanAccount.Cause: Double] = [.compute: scanning.reduce(0, +), .coordinator: idle]
        for index in present.indices {
            let waiting = max(0, assigned[index] - scanning[index] - wasted[index])
            seconds[index == local || isReading ? .disk : .network, default: 0] += waiting
        }
        seconds[.tasks] = max(0, all - assigned.reduce(0, +) - idle)
        // What came to nothing may have scanned or waited: if that is most, nothing can be said.
        guard let most = seconds.max(by: { $0.value < $1.value }), most.value >= wasted.reduce(0, +) else { return nil }
        return ScanAccount.Bound(by: most.key, share: min(1, most.value / all))
    }
}

extension [Attempt] {
    fileprivate var cost: Double { reduce(0) { $0 + $1.cost } }
    fileprivate var seconds: Double { reduce(0) { $0 + ($1.seconds ?? 0) } }
    fileprivate var secondsPerCost: Double { seconds / cost }
}

extension ScanAccount {
    /// In words, as in "2.7 times as fast as local alone, bound by computing (83 % of the slots' time)"; nil if nothing is
    /// known.
    var words: String? {
        let speed = speedUp.map { speedUp in
            // One digit more would not be true.
            let factor = plainText((speedUp.factor * 10).rounded() / 10)
            return
                "\(factor) times as fast as \(speedUp.over == ScanEvents.localName ? "this machine" : speedUp.over) alone"
        }
        let limit = bound.map { "bound by \($0.by.words) (\(Int(($0.share * 100).rounded())) % of the slots' time)" }
        let words = [speed, limit].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension ScanAccount.Cause {
    /// What to say of it.
    var words: String {
        switch self {
        case .compute: "computing"
        case .network: "the network"
        case .disk: "reading the image"
        case .tasks: "too few tasks for the slots"
        case .coordinator: "the coordinator"
        }
    }
}
