/// Times and limits of discovery.
public struct DiscoverySettings: Hashable, Sendable {
    /// Time without news about a node before it is reported, so that its addresses arrive together. 100 ms.
    public var quietInterval: Duration = .milliseconds(100)
    /// Longest time that news is held back by more news. 500 ms.
    public var longestSilence: Duration = .milliseconds(500)
    /// Pauses between attempts to reach a source of announcements that fails: 0.5 s to 4 s.
    public var sourceRetry = RetrySchedule(first: .milliseconds(500), longest: .seconds(4))
    /// Time an instance has to resolve to its first address. 6 s.
    public var resolutionTimeout: Duration = .seconds(6)
    /// Time to wait for further addresses after the first one. 1 s.
    public var addressWindow: Duration = .seconds(1)
    /// Pauses between attempts to resolve an instance: 1 s to 1 min.
    public var resolutionRetry = RetrySchedule(first: .seconds(1), longest: .seconds(60))
    /// Pauses before a node is offered again whose connection ended: 1 s to 30 s.
    public var reconnection = RetrySchedule(first: .seconds(1), longest: .seconds(30))
    /// Pauses before a node is offered again that could not be reached: 30 s to 5 min.
    public var setAside = RetrySchedule(first: .seconds(30), longest: .seconds(300))
    /// Time a node may take to be announced again after the source came back, before it counts as lost. 10 s.
    public var recoveryGrace: Duration = .seconds(10)
    /// Resolutions under way at once: each costs the library up to 2 threads and 10 descriptors. 32.
    public var maximumResolutions = 32
    /// Shortest time between the starts of two resolutions. 0.
    public var resolutionInterval = Duration.zero
    /// The same, for each instance that is known: N nodes that list each other then start at most one resolution per this
    /// time together, whatever N is. 0.
    public var resolutionIntervalPerInstance = Duration.zero
    /// Instances remembered; further ones, as on a flooded network, are ignored. 1024.
    public var maximumInstances = 1024
    /// Addresses kept for a node. 16.
    public var maximumAddresses = 16

    /// The defaults.
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

/// Pauses that double from a first to a longest one.
public struct RetrySchedule: Hashable, Sendable {
    /// The first pause.
    public var first: Duration
    /// The longest pause.
    public var longest: Duration

    /// Pauses from `first` to `longest`.
    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The pause after `failures` failures in a row, counted from 1.
    public func pause(afterFailures failures: Int) -> Duration {
        min(first * (1 << min(max(failures - 1, 0), 30)), longest)
    }
}
