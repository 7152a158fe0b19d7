import ScanBasics

/// An instance as seen on one interface.
struct Sighting {
    /// The phase of its resolution.
    enum Phase: Hashable {
        /// Waiting to be resolved.
        case queued
        /// In progress until it is answered or this moment has passed.
        case resolving(until: Instant)
        /// Resolved, or no longer to be resolved.
        case settled
        /// Failed; resolved again at this moment.
        case waiting(until: Instant)
    }

    /// The result of a resolution.
    struct Knowledge: Hashable {
        var service: ResolvedService
        var addresses: [HostAddress]
        var isOnThisMachine: Bool
    }

    /// Number of announcements minus withdrawals, one for each protocol family. 0 while the source is unavailable.
    var count = 1
    /// Whether this announcement has not been resolved yet. A node that is set aside is offered again for a fresh one.
    var isFresh = true
    var phase = Phase.queued
    /// Number of consecutive failed resolutions.
    var failures = 0
    /// Whether the resolution in progress has not found an address yet.
    var isFirstAddress = true
    /// The answer of the resolution in progress.
    var answer: ResolvedService?
    /// Result of the last resolution that found an address.
    var knowledge: Knowledge?
    /// The candidate to which it belongs.
    var node: DiscoveredNode.ID?

    var isResolving: Bool { if case .resolving = phase { true } else { false } }

    var deadline: Instant? {
        switch phase {
        case .resolving(let until), .waiting(let until): until
        case .queued, .settled: nil
        }
    }
}

/// A node that is reported, or about to be.
struct Candidate {
    /// The state of connections to the node.
    enum Standing: Hashable {
        /// Offered for a connection, which may be in progress.
        case offered
        /// The handshake succeeded.
        case connected
        /// No connection is attempted before this moment, unless the node is announced anew.
        case setAside(until: Instant)
        /// The pause is over; the node is offered again as soon as it is resolved.
        case returning
    }

    /// The resolved sightings of this node.
    var sightings: Set<ServiceInstance> = []
    /// The node as last reported.
    var told: DiscoveredNode?
    /// The time at which news is reported.
    var settlesAt: Instant?
    /// The time of the first unreported news.
    var newsSince: Instant?
    var standing = Standing.offered
    /// Number of consecutive failed attempts or connections.
    var failures = 0
    /// Whether a handshake with the node has ever succeeded.
    var wasConnected = false
    /// Whether the next report offers the node for a connection.
    var isToBeOffered = true

    var setAsideUntil: Instant? { if case .setAside(let until) = standing { until } else { nil } }

    /// Schedules the report of news: after the quiet interval, but no later than the longest silence allows.
    mutating func noteNews(at now: Instant, _ settings: DiscoverySettings) {
        let since = newsSince ?? now
        newsSince = since
        settlesAt = min(now.advanced(by: settings.quietInterval), since.advanced(by: settings.longestSilence))
    }
}
