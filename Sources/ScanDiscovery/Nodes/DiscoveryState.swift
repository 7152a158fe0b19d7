package import ScanBasics

/// The decisions of discovery: which nodes exist, at which addresses, and when to report them. Performs no I/O.
///
/// ``NodeDiscovery`` passes events to ``handle(_:at:)`` and performs the returned actions. Three sets build on each
/// other. Sightings are instances on interfaces; they are counted, because each protocol family adds and removes its
/// own. A resolved sighting belongs to a candidate: the node with that identity, or with that name if it announces no
/// identity. A candidate is reported once there has been no news about it for ``DiscoverySettings/quietInterval``.
package struct DiscoveryState {
    package enum Event: Hashable, Sendable {
        case start
        case browse(BrowseEvent)
        case browseEnded(DiscoveryError)
        case resolved(ServiceInstance, ResolvedService)
        case address(ServiceInstance, HostAddress, isOnThisMachine: Bool)
        case resolutionEnded(ServiceInstance)
        case report(ConnectionOutcome, of: DiscoveredNode.ID)
        /// This process waits for nodes from now on: they are resolved as soon as possible.
        case expedite
        case tick
    }

    package enum Action: Hashable, Sendable {
        /// Start browsing and report each event.
        case browse
        /// Resolve the instance and report each answer and the end.
        case resolve(ServiceInstance)
        /// Look up the host's addresses for the instance, instead of those of a previous host.
        case lookUp(ServiceInstance, host: String)
        /// Stop resolving the instance and looking up its addresses.
        case stopResolving(ServiceInstance)
        /// Report to the user.
        case announce(DiscoveryEvent)
    }

    /// The state of the source of announcements.
    enum Browser: Hashable {
        /// Browsing has not been requested yet.
        case idle
        /// Browsing was requested; becomes `listening` or `waiting`.
        case opening
        /// Browsing is active; becomes `waiting`.
        case listening
        /// Browsing failed and is requested again at this moment.
        case waiting(until: Instant)
    }

    /// The last report about the source of announcements.
    enum Notice: Hashable {
        case nothing
        case available
        case unavailable(DiscoveryError)
    }

    var settings: DiscoverySettings
    let own: Set<SystemID>
    let loopbackInterface: UInt32

    var browser = Browser.idle
    var browserFailures = 0
    var notice = Notice.nothing
    /// The time at which sightings that the source has not repeated since it came back are removed.
    var recoveryEnds: Instant?
    var sightings: [ServiceInstance: Sighting] = [:]
    /// Sightings to resolve, in the order of arrival.
    var queue: [ServiceInstance] = []
    var resolutions = 0
    /// The earliest start of the next resolution; nil before the first.
    var nextResolution: Instant?
    var candidates: [DiscoveredNode.ID: Candidate] = [:]
    var actions: [Action] = []

    /// Creates a state without sightings.
    ///
    /// - Parameters:
    ///   - settings: time constants and limits.
    ///   - own: identities of this process, which are never reported.
    ///   - loopbackInterface: index of the only interface on which loopback addresses are accepted.
    package init(settings: DiscoverySettings, own: Set<SystemID> = [], loopbackInterface: UInt32 = 1) {
        self.settings = settings
        self.own = own
        self.loopbackInterface = loopbackInterface
    }

    /// Handles an event at `now`. Returns the actions to perform, in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .start: browse()
        case .browse(.started): browseStarted(at: now)
        case .browse(.added(let instance)): add(instance)
        case .browse(.removed(let instance)): remove(instance, at: now)
        case .browseEnded(let error): browseEnded(error, at: now)
        case .resolved(let instance, let service): resolve(instance, to: service, at: now)
        case .address(let instance, let address, let isOnThisMachine):
            add(address, of: instance, isOnThisMachine: isOnThisMachine, at: now)
        case .resolutionEnded(let instance): endResolution(of: instance, at: now)
        case .report(let outcome, let id): report(outcome, of: id, at: now)
        case .expedite:
            settings.expedite()
            nextResolution = nil
        case .tick: break
        }
        passDeadlines(until: now)
        startResolutions(at: now)
        defer { actions = [] }
        return actions
    }

    /// The time at which `tick` is due next; nil if no deadline is pending.
    package var nextDeadline: Instant? {
        var deadlines: [Instant?] = [recoveryEnds]
        if case .waiting(let until) = browser { deadlines.append(until) }
        if browser == .listening, !queue.isEmpty, resolutions < settings.maximumResolutions {
            deadlines.append(nextResolution)
        }
        deadlines += sightings.values.map(\.deadline)
        deadlines += candidates.values.flatMap { [$0.settlesAt, $0.setAsideUntil] }
        return deadlines.compactMap { $0 }.min()
    }

    /// Handles passed deadlines in an order that does not depend on hashing, so that equal events lead to equal
    /// actions.
    private mutating func passDeadlines(until now: Instant) {
        if case .waiting(let until) = browser, until <= now { browse() }
        if let end = recoveryEnds, end <= now { forgetUnrepeated(at: now) }
        for instance in sightings.filter({ $0.value.deadline.map { $0 <= now } ?? false }).keys.sorted() {
            resolutionDeadlinePassed(instance, at: now)
        }
        for id in candidates.filter({ $0.value.setAsideUntil.map { $0 <= now } ?? false }).keys.sorted() {
            offerAgain(id, at: now)
        }
        for id in candidates.filter({ $0.value.settlesAt.map { $0 <= now } ?? false }).keys.sorted() { settle(id) }
    }

    /// Returns a description of the first violated invariant, or nil if all hold. For tests.
    package func brokenInvariant() -> String? {
        let resolving = sightings.values.count { $0.isResolving }
        if resolving != resolutions { return "\(resolving) sightings resolve, \(resolutions) are counted" }
        if resolutions > settings.maximumResolutions { return "\(resolutions) resolutions at once" }
        if sightings.count > settings.maximumInstances { return "\(sightings.count) instances remembered" }
        let queued = sightings.filter { $0.value.phase == .queued }.keys
        if Set(queue) != Set(queued) || queue.count != queued.count { return "the queue is not the queued sightings" }
        for (id, candidate) in candidates where candidate.sightings.isEmpty && candidate.settlesAt == nil {
            return "\(id) has no sighting and is not removed"
        }
        for (instance, sighting) in sightings where (sighting.knowledge == nil) != (sighting.node == nil) {
            return "\(instance) is resolved but belongs to no node, or the reverse"
        }
        for (instance, sighting) in sightings {
            if let node = sighting.node, candidates[node]?.sightings.contains(instance) != true {
                return "\(instance) belongs to \(node), which does not list it"
            }
        }
        return nil
    }
}
