import CommandLineKit
import Console
package import ScanCluster
package import ScanNetwork

/// Values that a node observes on its machine.
package struct MachineReading: Equatable, Sendable {
    /// Mean number of processors kept busy by other programs since the previous reading, or nil if unknown.
    package var load: Double?
    /// Time since somebody last used the machine, or nil if unknown.
    package var idle: Duration?
    /// Minutes since midnight, local time.
    package var minute: Int

    package init(load: Double? = nil, idle: Duration? = nil, minute: Int) {
        self.load = load
        self.idle = idle
        self.minute = minute
    }
}

/// Decides whether a node runs tasks, from signals of its owner, orders of holders of the cluster key, and the rules.
/// Pure.
///
/// A node pauses at once, except for a short peak of load, and resumes with hysteresis, after other programs have kept
/// few processors busy for ``calm``.
package struct OwnerState: Sendable {
    package enum Event: Sendable {
        /// The owner pauses or resumes the node; resuming also ends pauses that were ordered.
        case owner(isPaused: Bool)
        /// A holder of the cluster key orders to pause or resume.
        case order(NodeOrder, by: String)
        /// The machine was observed.
        case reading(MachineReading, at: Instant)
    }

    /// Duration of high load after which the node pauses.
    package static let peak = Duration.seconds(2)
    /// Duration of low load after which the node resumes.
    package static let calm = Duration.seconds(30)

    private let rules: OwnerRules
    private var isPausedByOwner = false
    /// The holder of the key who ordered a pause.
    private var orderedBy: String?
    /// Reason why the rules forbid running tasks, or nil if they permit it.
    private var conditions: String?
    /// Whether the load is above the limit, and the time when that last changed.
    private var loadSince: (isHigh: Bool, instant: Instant)?
    private var isLoaded = false

    package init(_ rules: OwnerRules) { self.rules = rules }

    /// Reason why the node is paused, or nil if it runs tasks.
    package var pause: String? {
        if isPausedByOwner { return "by its owner" }
        return orderedBy.map { "by order of \($0)" } ?? conditions
    }

    package mutating func handle(_ event: Event) {
        switch event {
        case .owner(let isPaused):
            isPausedByOwner = isPaused
            if !isPaused { orderedBy = nil }
        case .order(.pause, let name): orderedBy = name
        case .order(.resume, _): orderedBy = nil
        case .reading(let reading, let now): conditions = conditions(of: reading, at: now)
        }
    }

    private mutating func conditions(of reading: MachineReading, at now: Instant) -> String? {
        let load = load(reading.load, at: now)
        if let hours = rules.hours, !hours.contains(reading.minute) { return "outside of --hours \(hours)" }
        if let limit = rules.idle, let idle = reading.idle, idle < limit {
            return "the machine is in use (--when-idle \(HumanFormat.age(seconds: limit / .seconds(1))))"
        }
        return load
    }

    private mutating func load(_ load: Double?, at now: Instant) -> String? {
        guard let limit = rules.maxLoad, let load else { return nil }
        let isHigh = load > limit
        if loadSince?.isHigh != isHigh { loadSince = (isHigh, now) }
        let time = now.since(loadSince?.instant ?? now)
        if isHigh, time >= Self.peak { isLoaded = true }
        if !isHigh, time >= Self.calm { isLoaded = false }
        return isLoaded ? "other programs need the processors (--max-load \(plainText(limit)))" : nil
    }
}
