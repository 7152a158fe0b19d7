public import ScanBasics
import Dispatch
import Foundation
package import ScanCluster
public import ScanDiscovery
package import ScanNetwork
package import ScanSecurity

/// Discovers peers, lists them in the registry, connects them when there is work for them, and reports the outcome to
/// discovery.
///
/// Each source of announcements is followed by a `NodeDiscovery`. Its events, and the outcomes of connection attempts,
/// go to `MembershipState`, which decides; this class performs the resulting actions on the registry, the connections
/// and the sources. Readers begin with `run()` and the actions of `MembershipState`.
public final class ClusterMembership: Sendable {
    /// An event for the user.
    public enum Change: Equatable, Sendable {
        /// A source of announcements works.
        case available
        /// A source of announcements fails for this reason.
        case unavailable(DiscoveryError)
        /// A node was discovered.
        case discovered(DiscoveredNode)
        /// A node is no longer announced.
        case departed(name: String)
        /// A discovered node is not used, for this reason.
        case unused(name: String, reason: String)
        /// A discovered node of this machine is not used, since this process runs tasks on the same cores.
        case ownMachine(name: String, reason: String)
        /// The user has named a node in such a way that one of several could be meant, as described here.
        case ambiguous(String)
    }

    private let discoveries: [NodeDiscovery]
    private let systems: Systems
    private let connections: RemoteNodes
    private let onChange: @Sendable (Change) -> Void
    private let start = DispatchTime.now()
    private let state: Locked<MembershipState>

    /// Creates a membership for the nodes that `sources` announce.
    /// - Parameters:
    ///   - sources: sources of announcements.
    ///   - own: identities of this process, whose announcements are ignored.
    ///   - connections: the connections to peers.
    ///   - systems: the registry in which peers are listed.
    ///   - keys: accepted keys; a node that accepts none of them belongs to another cluster.
    ///   - hasLocalSystem: whether this process runs tasks, so that another node of this machine would use the same
    ///     cores.
    ///   - needsPeers: whether peers are connected as soon as they are discovered.
    ///   - selection: which nodes may be used.
    ///   - onChange: called from any thread.
    package init(
        _ sources: [any ServiceDiscovery], own: Set<SystemID> = [], connections: RemoteNodes, systems: Systems,
        keys: KeyRing, hasLocalSystem: Bool, needsPeers: Bool = true, selection: NodeSelection = .init(),
        onChange: @escaping @Sendable (Change) -> Void
    ) {
        let settings = needsPeers ? DiscoverySettings() : .unhurried
        discoveries = sources.map { NodeDiscovery($0, own: own, settings: settings) }
        self.systems = systems
        self.connections = connections
        self.onChange = onChange
        state = Locked(
            MembershipState(
                sourceCount: sources.count, keys: keys, hasLocalSystem: hasLocalSystem, needsPeers: needsPeers,
                selection: selection))
    }

    /// Announced nodes, in the order in which they were discovered.
    public var peers: [DiscoveredPeer] { state.withLock { $0.peers } }

    /// Errors of the sources of announcements that fail at present.
    public var errors: [DiscoveryError] { state.withLock { $0.errors } }

    /// Whether no source of announcements works.
    public var isUnavailable: Bool { state.withLock { $0.isUnavailable } }

    /// Whether there are no sources of announcements, so that nodes are not discovered.
    package var isOff: Bool { discoveries.isEmpty }

    /// Connects all known peers, and from now on each peer as soon as it is discovered.
    public func connectPeers() { handle(.peersNeeded) }

    /// Accepts these keys from now on.
    package func use(_ keys: KeyRing) { handle(.keys(keys)) }

    /// Discovers peers until the task is cancelled. Must be called only once.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for (index, discovery) in discoveries.enumerated() {
                group.addTask { await discovery.run() }
                group.addTask { [self] in
                    for await event in discovery.events { handle(.discovery(event, source: index)) }
                }
            }
        }
    }

    /// Waits for `limit` while peers are discovered, or for a shorter time if no source works.
    package func wait(for limit: Duration) async {
        try? await Task.sleep(for: min(limit, Self.firstReport))
        if !isUnavailable { try? await Task.sleep(for: limit - min(limit, Self.firstReport)) }
    }

    /// Time within which a failing source reports its failure.
    private static let firstReport = Duration.milliseconds(200)

    private func handle(_ event: MembershipState.Event) {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let actions = state.withLock { $0.handle(event, seconds: seconds, at: .now) }
        for action in actions { perform(action) }
    }

    private func perform(_ action: MembershipState.Action) {
        switch action {
        case .list(let peer): systems.list(peer)
        case .forget(let key):
            systems.unlist(key)
            connections.forget(key)
        case .drop(let key):
            systems.unlist(key)
            connections.drop(key)
        case .dial(let peer, let keys):
            connections.dial(peer, keys: keys) { [weak self] in self?.handle(.outcome($0, of: peer.key)) }
        case .report(let outcome, let id, let source): discoveries[source].report(outcome, of: id)
        case .expedite: for discovery in discoveries { discovery.expedite() }
        case .notify(let change): onChange(change)
        }
    }
}
