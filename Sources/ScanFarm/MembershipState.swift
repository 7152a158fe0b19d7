package import Foundation
package import ScanCluster
package import ScanDiscovery
package import ScanNetwork
package import ScanSecurity

/// Decides which discovered nodes are peers, which of them are connected, and what is reported to discovery. Pure.
///
/// A peer is in one of three states:
/// - *unusable*: its announcement shows why no connection can succeed; it is listed only if it is paused. A change of
///   the announcement or of the keys of this process leads to *known* or *dialled*.
/// - *known*: listed in the registry, but not connected. ``Event/peersNeeded`` leads to *dialled*.
/// - *dialled*: passed to the connections, which connect it or report an error. It stays dialled until it is no longer
///   announced, or until the name of another node shows that the user has not selected it; discovery offers it again
///   after a failure.
package struct MembershipState: Sendable {
    package enum Event: Sendable {
        /// A source of announcements reports an event.
        case discovery(DiscoveryEvent, source: Int)
        /// A connection attempt to the peer of this key ended, or its connection was lost.
        case outcome(RemoteNodes.DialOutcome, of: String)
        /// There is work for peers, so all of them are dialled from now on.
        case peersNeeded
        /// These keys are accepted from now on.
        case keys(KeyRing)
    }

    package enum Action: Equatable, Sendable {
        /// Enter the peer in the registry, or replace its entry.
        case list(Systems.Peer)
        /// Remove the peer of this key from the registry, and close its connection.
        case forget(String)
        /// Remove the peer of this key from the registry, and end its connection even if it is in use.
        case drop(String)
        /// Connect the peer, which claims to accept these keys.
        case dial(Systems.Peer, keys: [KeyFingerprint])
        /// Report the outcome of the connection to a source of announcements.
        case report(ConnectionOutcome, of: DiscoveredNode.ID, source: Int)
        /// Have the sources resolve announcements as soon as possible.
        case expedite
        /// Report to the user.
        case notify(ClusterMembership.Change)
    }

    private struct Known: Sendable {
        var peer: DiscoveredPeer
        var source: Int
        var isListed = false
        /// Whether it was passed to the connections.
        var isDialled = false
        /// The failure of the last attempt to connect it, of which the user was told.
        var failure: String?
    }

    private let sourceCount: Int
    private let hasLocalSystem: Bool
    private let selection: NodeSelection
    private var keys: KeyRing
    private var needsPeers: Bool
    private var known: [String: Known] = [:]
    private var errorsBySource: [Int: DiscoveryError] = [:]

    /// Creates the state in which nothing is discovered yet.
    /// - Parameters:
    ///   - sourceCount: number of sources of announcements.
    ///   - keys: accepted keys; a node that accepts none of them belongs to another cluster.
    ///   - hasLocalSystem: whether this process runs tasks, so that another node of this machine would use the same
    ///     cores.
    ///   - needsPeers: whether peers are dialled as soon as they are discovered.
    ///   - selection: the nodes that may be used.
    package init(
        sourceCount: Int, keys: KeyRing, hasLocalSystem: Bool, needsPeers: Bool, selection: NodeSelection = .init()
    ) {
        self.selection = selection
        self.sourceCount = sourceCount
        self.keys = keys
        self.hasLocalSystem = hasLocalSystem
        self.needsPeers = needsPeers
    }

    /// Announced nodes, in the order in which they were discovered.
    package var peers: [DiscoveredPeer] {
        known.values.map(\.peer).sorted { ($0.seconds, $0.node.name) < ($1.seconds, $1.node.name) }
    }

    /// Errors of the sources that fail at present.
    package var errors: [DiscoveryError] { errorsBySource.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether no source works.
    package var isUnavailable: Bool { errorsBySource.count == sourceCount }

    /// Handles an event, `seconds` after the start and at `time`, and returns the actions to perform, in order.
    package mutating func handle(_ event: Event, seconds: Double, at time: Date) -> [Action] {
        switch event {
        case .discovery(.available, let source):
            errorsBySource[source] = nil
            return [.notify(.available)]
        case .discovery(.unavailable(let error), let source):
            errorsBySource[source] = error
            return [.notify(.unavailable(error))]
        case .discovery(.found(let node), let source): return found(node, source, seconds, time, isOffered: true)
        case .discovery(.changed(let node), let source): return found(node, source, seconds, time, isOffered: false)
        case .discovery(.lost(let node), let source):
            let key = Self.key(node, source)
            guard known.removeValue(forKey: key) != nil else { return [] }
            return [.forget(key), .notify(.departed(name: node.name))]
        case .outcome(let outcome, let key): return report(outcome, of: key)
        case .peersNeeded:
            guard !needsPeers else { return [] }
            needsPeers = true
            return [.expedite] + judgeAll(at: time)
        case .keys(let ring):
            keys = ring
            return judgeAll(at: time)
        }
    }

    private mutating func found(
        _ node: DiscoveredNode, _ source: Int, _ seconds: Double, _ time: Date, isOffered: Bool
    ) -> [Action] {
        let key = Self.key(node, source)
        let before = known[key]
        known[key] = Known(
            peer: DiscoveredPeer(
                node: node, seconds: before?.peer.seconds ?? seconds, unusableReason: before?.peer.unusableReason),
            source: source, isListed: before?.isListed ?? false,
            isDialled: isOffered ? false : before?.isDialled ?? false, failure: before?.failure)
        let change: [Action] = before == nil ? [.notify(.discovered(node))] : []
        let isNewName = before?.peer.node.name != node.name
        return change + judge(key, at: time) + (isNewName ? judgeOthers(than: key, at: time) : [])
    }

    private mutating func judgeAll(at time: Date) -> [Action] {
        known.keys.sorted().flatMap { judge($0, at: time) }
    }

    /// Decides again whether a node can be used. A dialled node stays dialled, since its handshake decides.
    private mutating func judge(_ key: String, at time: Date) -> [Action] {
        guard var entry = known[key] else { return [] }
        let node = entry.peer.node
        if entry.isDialled { return [.list(Systems.Peer(node, key: key))] }
        let reason = reason(of: node, at: time)
        let (isNew, wasListed) = (entry.peer.unusableReason != reason, entry.isListed)
        entry.peer.unusableReason = reason
        entry.isListed = reason == nil || reason?.cause == .paused
        entry.isDialled = reason == nil && needsPeers
        known[key] = entry
        let peer = Systems.Peer(node, key: key)
        if let reason {
            return (wasListed ? [.forget(key)] : []) + (entry.isListed ? [.list(peer)] : [])
                + (isNew ? notice(of: reason, entry.peer) : [])
        }
        return [.list(peer)] + (needsPeers ? [.dial(peer, keys: node.advertisement.keys)] : [])
    }

    /// Decides again whether the other nodes are selected, since the name of the node `key` is new: a whole name
    /// selects its node only, and none whose name begins so. The new name makes no word ambiguous.
    private mutating func judgeOthers(than key: String, at time: Date) -> [Action] {
        guard selection != NodeSelection() else { return [] }
        var actions: [Action] = []
        for other in known.keys.sorted() where other != key {
            // The own name of a node of a list is known after the handshake only.
            guard var entry = known[other], entry.peer.node.advertisement.id != nil else { continue }
            let reason = reason(of: entry.peer.node, at: time)
            if reason?.cause == .ambiguous { continue }
            guard entry.isDialled else {
                actions += judge(other, at: time)
                continue
            }
            guard reason?.cause == .excluded else { continue }
            entry.peer.unusableReason = reason
            (entry.isListed, entry.isDialled) = (false, false)
            known[other] = entry
            actions.append(.drop(other))
        }
        return actions
    }

    private func reason(of node: DiscoveredNode, at time: Date) -> UnusableReason? {
        UnusableReason(
            of: node, keys: keys, at: time, hasLocalSystem: hasLocalSystem, among: selection,
            known: selection == NodeSelection() ? [] : names(at: time))
    }

    /// Time in seconds in which nodes that are running are discovered. A node that is discovered later makes no word
    /// ambiguous that selected another node before.
    private static let searchSeconds = 3.0

    /// Returns the message about a node that is not used. The user knows which nodes are excluded: no message reports
    /// them.
    private func notice(of reason: UnusableReason, _ peer: DiscoveredPeer) -> [Action] {
        switch reason.cause {
        case .excluded: []
        case .ambiguous where peer.seconds <= Self.searchSeconds: [.notify(.ambiguous(reason.text))]
        case .ownMachine: [.notify(.ownMachine(name: peer.node.name, reason: reason.text))]
        case .ambiguous, .version, .key, .paused:
            [.notify(.unused(name: peer.node.name, reason: reason.text))]
        }
    }

    /// Returns the names of the known nodes of this cluster. A node that is known by its address only is left out.
    private func names(at time: Date) -> Set<String> {
        let nodes = known.values.map(\.peer.node).filter { node in
            let reason = UnusableReason(of: node, keys: keys, at: time, hasLocalSystem: false)
            return node.advertisement.id != nil && reason?.cause != .key
        }
        return Set(nodes.map(\.name))
    }

    private mutating func report(_ outcome: RemoteNodes.DialOutcome, of key: String) -> [Action] {
        guard var entry = known[key] else { return [] }
        let node = entry.peer.node
        switch outcome {
        case .connected:
            known[key]?.failure = nil
            return [.report(.connected, of: node.id, source: entry.source)]
        case .ended: return [.report(.ended, of: node.id, source: entry.source)]
        case .failed(let error) where error.code == .excluded || error.code == .ambiguous:
            // The handshake has shown the node's own name. Discovery does not offer the node again.
            let reason = UnusableReason(
                error.code == .excluded ? .excluded : .ambiguous, text: error.message, next: "skyfarm nodes")
            entry.peer.unusableReason = reason
            (entry.isListed, entry.isDialled) = (false, false)
            known[key] = entry
            return [.forget(key)] + notice(of: reason, entry.peer)
        case .failed(let error):
            known[key]?.failure = error.message
            let isNew = entry.failure != error.message
            return [.report(.failed, of: node.id, source: entry.source)]
                + (isNew ? [.notify(.unused(name: node.name, reason: error.message))] : [])
        }
    }

    /// Returns the key of a node. A node that several sources announce counts once for each source.
    private static func key(_ node: DiscoveredNode, _ source: Int) -> String {
        switch node.id {
        case .identity(let identity): "\(source) \(identity)"
        case .name(let name): "\(source) \(name)"
        }
    }
}
