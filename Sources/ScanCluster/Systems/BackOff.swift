/// How long a faulty system is set aside. The time doubles with each fault; the next success resets it.
package struct BackOff: Equatable, Sendable {
    /// Set aside after the first fault.
    package static let first = Duration.milliseconds(500)
    /// Longest time to be set aside.
    package static let longest = Duration.seconds(60)

    /// Faults since the last success.
    package private(set) var faults = 0
    /// When the last fault occurred.
    private var since: Instant?
    /// The system is set aside until then.
    package private(set) var until: Instant?

    package init() {}

    /// Whether the system is set aside at `now`.
    package func isSetAside(at now: Instant) -> Bool { until.map { now < $0 } ?? false }

    /// An attempt that began at `start` ended with a fault of the system. Attempts that were in flight when the last
    /// fault occurred are assumed to have the same cause, which counts once.
    /// - Returns: false if it does not count.
    package mutating func fault(ofAttemptFrom start: Instant, at now: Instant) -> Bool {
        if let since, start <= since, faults > 0 { return false }
        let doublings = min(faults, 16)
        faults += 1
        since = now
        until = now.advanced(by: min(Self.first * (1 << doublings), Self.longest))
        return true
    }

    /// An attempt that began at `start` succeeded. One that was in flight when the last fault occurred does not count.
    package mutating func success(ofAttemptFrom start: Instant) {
        if let since, start <= since { return }
        self = BackOff()
    }
}
