import ScanBasics

/// The facts about one instance on one interface.
struct Sighting {
    /// The progress of its resolution.
    enum Phase: Hashable {
        /// Waits for its turn.
        case queued
        /// In progress until answered or this moment.
        case resolving(until: Instant)
        /// Done.
        case settled
        /// Failed; resolved again at this moment.
        case waiting(until: Instant)
    }

    /// A complete resolution.
    struct Knowledge: Hashable {
        var service: ResolvedService
        var addresses: [HostAddress]
        var isOnThisMachine: Bool
    }

    /// Announcements less withdrawals: one for each protocol family. 0 while the source is away.
    var count = 1
    /// True until this announcement has been resolved; a node that is set aside is offered again for a fresh one.
    var isFresh = true
    var phase = Phase.queued
    /// Resolutions failed in a row.
    var failures = 0
    /// True until the resolution under way has led to an address.
    var isFirstAddress = true
    /// The answer of the resolution under way.
    var answer: ResolvedService?
    /// Result of the last resolution that led to an address.
    var knowledge: Knowledge?
    /// The candidate it belongs to.
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
    /// The outcome of connections to the node.
    enum Standing: Hashable {
        /// To be dialled, or being dialled.
        case offered
        /// Its handshake succeeded.
        case connected
        /// Not to be dialled before this moment, unless it is announced anew.
        case setAside(until: Instant)
        /// The wait is over: to be offered again as soon as it resolves again.
        case returning
    }

    /// The resolved sightings it is made of.
    var sightings: Set<ServiceInstance> = []
    /// The node as last reported.
    var told: DiscoveredNode?
    /// When news is reported.
    var settlesAt: Instant?
    /// Since when there is news.
    var newsSince: Instant?
    var standing = Standing.offered
    /// Attempts or connections failed in a row.
    var failures = 0
    /// True once a handshake with it succeeded.
    var wasConnected = false
    /// True if the next news is to be reported as a node to dial.
    var isToBeOffered = true

    var setAsideUntil: Instant? { if case .setAside(let until) = standing { until } else { nil } }

    /// Schedules the report of news: after a quiet interval, but no later than the longest silence allows.
    mutating func noteNews(at now: Instant, _ settings: DiscoverySettings) {
        let since = newsSince ?? now
        newsSince = since
        settlesAt = min(now.advanced(by: settings.quietInterval), since.advanced(by: settings.longestSilence))
    }
}
