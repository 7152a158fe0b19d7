/// Time constants and limits of discovery.
public struct DiscoverySettings: Hashable, Sendable {
    /// Time without news about a node before it is reported, so that its addresses are reported together. Default: 100
    /// ms.
    public var quietInterval: Duration = .milliseconds(100)
    /// Longest time for which further news can delay a report. Default: 500 ms.
    public var longestSilence: Duration = .milliseconds(500)
    /// Pauses between attempts to reach a failing source of announcements. Default: 0.5 s to 4 s.
    public var sourceRetry = RetrySchedule(first: .milliseconds(500), longest: .seconds(4))
    /// Time limit for resolving an instance to its first address. Default: 6 s.
    public var resolutionTimeout: Duration = .seconds(6)
    /// Time to wait for further addresses after the first one. Default: 1 s.
    public var addressWindow: Duration = .seconds(1)
    /// Pauses between attempts to resolve an instance. Default: 1 s to 1 min.
    public var resolutionRetry = RetrySchedule(first: .seconds(1), longest: .seconds(60))
    /// Pauses before a node whose connection ended is offered again. Default: 1 s to 30 s.
    public var reconnection = RetrySchedule(first: .seconds(1), longest: .seconds(30))
    /// Pauses before a node that could not be reached is offered again. Default: 30 s to 5 min.
    public var setAside = RetrySchedule(first: .seconds(30), longest: .seconds(300))
    /// Time within which a node must be announced again after the source came back, before it counts as lost. Default:
    /// 10 s.
    public var recoveryGrace: Duration = .seconds(10)
    /// Maximum number of concurrent resolutions; each costs the library up to 2 threads and 10 descriptors. Default:
    /// 32.
    public var maximumResolutions = 32
    /// Minimum time between the starts of two resolutions. Default: 0.
    public var resolutionInterval = Duration.zero
    /// Minimum time between the starts of two resolutions, multiplied by the number of known instances: N nodes that
    /// list each other together start at most one resolution per this time, whatever N is. Default: 0.
    public var resolutionIntervalPerInstance = Duration.zero
    /// Maximum number of remembered instances; further ones, as on a flooded network, are ignored. Default: 1024.
    public var maximumInstances = 1024
    /// Maximum number of addresses per node. Default: 16.
    public var maximumAddresses = 16

    /// Creates the default settings.
    public init() {}

    /// For a process that lists nodes but does not wait for them, such as a node that serves: one resolution every two
    /// seconds, or more rarely in a cluster of more than eight nodes, until ``NodeDiscovery/expedite()``. In a cluster of N
    /// nodes that list each other, N × N resolutions would otherwise be under way at once, and delay those of a coordinator
    /// that waits.
    public static var unhurried: DiscoverySettings {
        var settings = DiscoverySettings()
        settings.maximumResolutions = 1
        settings.resolutionInterval = .seconds(2)
        settings.resolutionIntervalPerInstance = .milliseconds(250)
        return settings
    }

    /// Resolves as soon as possible from now on.
    mutating func expedite() {
        let urgent = DiscoverySettings()
        maximumResolutions = max(maximumResolutions, urgent.maximumResolutions)
        resolutionInterval = urgent.resolutionInterval
        resolutionIntervalPerInstance = urgent.resolutionIntervalPerInstance
    }
}

/// Pauses between retries, doubling from the first to the longest one.
public struct RetrySchedule: Hashable, Sendable {
    /// The pause after the first failure.
    public var first: Duration
    /// Upper limit of the pauses.
    public var longest: Duration

    /// Creates a schedule from `first` to `longest`.
    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Returns the pause after `failures` consecutive failures, counted from 1.
    public func pause(afterFailures failures: Int) -> Duration {
        min(first * (1 << min(max(failures - 1, 0), 30)), longest)
    }
}
