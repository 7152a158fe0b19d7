import CommandLineKit
import Foundation
package import ScanCluster
package import SkyReport

/// How much faster a scan was than one system alone, and what limited it. Pure.
package struct ScanAccount: Equatable, Sendable {
    /// Nil if unknown.
    package var speedUp: SpeedUp?
    /// The cause that took at least half of the slots' time, or nine tenths if it is scanning; nil if none did, or if it is
    /// unknown.
    package var bound: Bound?
    /// Nodes that were connected and did nothing, since the slots of this machine were expected to be done before the
    /// pixels had travelled; nil if a node did a task, or if there was none.
    package var unusedNodes: Int?

    package struct Bound: Encodable, Equatable, Sendable {
        package var by: Cause
        /// Share of the slots' time.
        package var share: Double

        package init(by: Cause, share: Double) {
            self.by = by
            self.share = share
        }
    }

    package enum Cause: String, CaseIterable, Encodable, Sendable {
        /// Slots were scanning.
        case compute
        /// Slots had tasks whose pixels were being sent to the node.
        case network
        /// Slots had tasks whose pixels were being read.
        case disk
        /// Slots had no task while other slots had one: there were too few tasks.
        case tasks
        /// No task was running on any system.
        case coordinator
    }

    /// The account of a finished scan.
    /// - Parameters:
    ///   - timeline: the scan.
    ///   - before: seconds from the start of the command to that of the timeline.
    ///   - readingSeconds: time spent reading pixels.
    ///   - local: name of the coordinator's own system.
    ///   - processorSeconds: time in which a processor ran the local system's tasks; nil if unknown.
    ///   - readingProcessorSeconds: time in which processors would read the pixels for the local system alone.
    ///   - processors: those of each system, as far as they are known.
    package init(
        _ timeline: ScanTimeline, before: Double = 0, readingSeconds: Double, local: String,
        processorSeconds: Double? = nil, readingProcessorSeconds: Double = 0, processors: [String: ProcessorShare]
    ) {
        // Without systems, the journal had all results.
        guard let end = timeline.end, end > 0, !timeline.systems.isEmpty else { return }
        let times = SlotTimes(timeline, end: end)
        let processorCount = processors[local]?.count ?? ProcessInfo.processInfo.processorCount
        let slots = timeline.systems.first { $0.name == local }?.slots ?? 0
        let readingAlone = slots < processorCount ? 0 : readingProcessorSeconds / Double(processorCount)
        speedUp = SpeedUp(
            of: timeline, before: before, local: local, processorSeconds: processorSeconds,
            readingSeconds: readingAlone
        ) { one, other in
            guard let one = processors[one], let other = processors[other] else { return false }
            return !one.overlaps(other)
        }
        let localIndex = timeline.systems.firstIndex { $0.name == local }
        bound = times.bound(isReading: readingSeconds > end / 2, local: localIndex)
        let workers = Set(timeline.attempts.filter { $0.outcome == .done }.map(\.system))
        let others = timeline.systems.count { $0.name != local }
        unusedNodes = others > 0 && workers == Set([localIndex].compactMap(\.self)) ? others : nil
    }
}

/// Where the time of a scan's slots went, by system.
private struct SlotTimes {
    /// Slot-seconds while it was connected: the number of its slots, integrated over time.
    private var present: [Double]
    /// Of these, those in which a slot had a task.
    private var assigned: [Double]
    /// Of these, those of scanning.
    private var scanning: [Double]
    /// Seconds of attempts without a result.
    private var wasted: [Double]
    /// Slots' seconds in which no task was running on any system.
    private var idle = 0.0
    private let isComplete: Bool

    init(_ timeline: ScanTimeline, end: Double) {
        let zeros = timeline.systems.map { _ in 0.0 }
        (present, assigned, scanning, wasted) = (zeros, zeros, zeros, zeros)
        // If moments were dropped, it is unknown when systems were connected.
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

    /// Least share of the slots' time in which they scan if processors limit a scan: with idle ones, other causes do.
    private static let leastScanning = 0.9

    /// The cause that took at least half of the slots' time; nil if none did, or if it is unknown.
    func bound(isReading: Bool, local: Int?) -> ScanAccount.Bound? {
        let all = present.reduce(0, +)
        guard isComplete, all > 0 else { return nil }
        var seconds: [ScanAccount.Cause: Double] = [.compute: scanning.reduce(0, +), .coordinator: idle]
        for index in present.indices {
            let waiting = max(0, assigned[index] - scanning[index] - wasted[index])
            seconds[index == local || isReading ? .disk : .network, default: 0] += waiting
        }
        seconds[.tasks] = max(0, all - assigned.reduce(0, +) - idle)
        // Attempts without a result may have scanned or waited: if they took most of the time, the cause is unknown.
        // What took less than half is not the limit: without it, most of the time would remain.
        guard let most = seconds.max(by: { $0.value < $1.value }),
            most.value >= max(all / 2, wasted.reduce(0, +)),
            most.key != .compute || most.value >= all * Self.leastScanning
        else { return nil }
        return ScanAccount.Bound(by: most.key, share: min(1, most.value / all))
    }
}

extension ScanAccount {
    /// As in "2.7 times as fast as this machine alone, limited by CPU: slots busy 83 % of the time"; nil if nothing is
    /// known.
    package var words: String? {
        let speed = speedUp.map { speedUp in
            let over = speedUp.over == ScanEvents.localName ? "this machine" : speedUp.over
            return "\(plainText(speedUp.factor)) times as fast as \(over) alone"
        }
        let limit = bound.map { "limited by \($0.by.words(percent: Int(($0.share * 100).rounded())))" }
        let words = [speed, unusedNodes.map(Self.words(unusedNodes:)), limit].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// Says that ``unusedNodes`` did nothing, and what would let them help.
    package static func words(unusedNodes count: Int) -> String {
        "on this machine alone, which was done before \(count == 1 ? "the node" : "the \(count) nodes") could have the "
            + "pixels (skyfarm node --data, fpack or a faster link would let nodes help)"
    }
}

extension ScanAccount.Cause {
    /// The cause and the share of the slots' time that it took.
    fileprivate func words(percent: Int) -> String {
        switch self {
        case .compute: "CPU: slots busy \(percent) % of the time"
        case .network: "the network: slots waited for pixels \(percent) % of the time"
        case .disk: "reading the image: slots waited for pixels \(percent) % of the time"
        case .tasks: "the number of tasks: slots idle \(percent) % of the time"
        case .coordinator: "the coordinator: no task ready \(percent) % of the time"
        }
    }
}
