import ScanCluster
import ScanDiscovery
import Testing

/// A ``DiscoveryState`` with time in hand: each step says what happened, and what the state wants done.
struct DiscoveryScript {
    var state: DiscoveryState
    var now = Instant(nanoseconds: 0)
    private(set) var isBrowsing = false

    init(
        settings: DiscoverySettings = DiscoverySettings(), own: Set<SystemID> = [], browsing: Bool = true
    ) {
        state = DiscoveryState(settings: settings, own: own, loopbackInterface: 1)
        if browsing {
            #expect(handle(.start) == [.browse])
            #expect(handle(.browse(.started)) == [.announce(.available)])
        }
    }

    mutating func handle(_ event: DiscoveryState.Event) -> [DiscoveryState.Action] {
        let actions = state.handle(event, at: now)
        #expect(state.brokenInvariant() == nil)
        return actions
    }

    /// Lets time pass, with a tick at each deadline on the way, and returns all actions.
    mutating func pass(_ duration: Duration) -> [DiscoveryState.Action] {
        let end = now.advanced(by: duration)
        var actions: [DiscoveryState.Action] = []
        while let deadline = state.nextDeadline, deadline <= end {
            now = max(now, deadline)
            actions += handle(.tick)
        }
        now = end
        return actions
    }

    /// Has `instance` heard and resolved to `addresses`; returns the actions of the last step.
    mutating func hear(
        _ instance: ServiceInstance, id: SystemID? = nil, slots: Int = 2, port: UInt16 = 4000,
        _ addresses: [String] = ["10.0.0.1"], isOnThisMachine: Bool = false
    ) throws {
        _ = handle(.browse(.added(instance)))
        try answer(instance, id: id, slots: slots, port: port, addresses, isOnThisMachine: isOnThisMachine)
    }

    /// Has the resolution under way of `instance` lead to `addresses`.
    mutating func answer(
        _ instance: ServiceInstance, id: SystemID? = nil, slots: Int = 2, port: UInt16 = 4000,
        _ addresses: [String] = ["10.0.0.1"], isOnThisMachine: Bool = false
    ) throws {
        let facts = NodeAdvertisement(versions: 1...1, slots: slots, keyFingerprint: "k", id: id)
        let service = ResolvedService(host: "\(instance.name).local.", port: port, txt: facts.record)
        _ = handle(.resolved(instance, service))
        for text in addresses {
            let address = try #require(HostAddress(text))
            _ = handle(.address(instance, address, isOnThisMachine: isOnThisMachine))
        }
    }

    /// A node with two slots at port 4000.
    static func node(
        _ id: DiscoveredNode.ID, _ name: String, _ addresses: [String] = ["10.0.0.1"], slots: Int = 2,
        port: UInt16 = 4000, isOnThisMachine: Bool = false
    ) throws -> DiscoveredNode {
        var identity: SystemID?
        if case .identity(let known) = id { identity = known }
        return DiscoveredNode(
            id: id, name: name,
            addresses: try addresses.map { SocketAddress(host: "\(try #require(HostAddress($0)))", port: port) },
            advertisement: NodeAdvertisement(versions: 1...1, slots: slots, keyFingerprint: "k", id: identity),
            isOnThisMachine: isOnThisMachine)
    }
}

extension [DiscoveryState.Action] {
    /// The events that the user gets.
    var announced: [DiscoveryEvent] {
        compactMap { if case .announce(let event) = $0 { event } else { nil } }
    }
}
