import CommandLineKit
import ScanCluster
package import ScanFarm
package import ScanNetwork

/// The known nodes, none of which can be used, with the reasons. Pure.
package struct UnusableNodes: Sendable {
    /// Nodes to which a connection was attempted.
    private let states: [NodeState]
    /// Announced nodes to which no connection was attempted, since their announcement shows that it cannot succeed.
    private let refused: [(name: String, reason: UnusableReason)]

    package init(_ states: [NodeState], discovered peers: [DiscoveredPeer]) {
        self.states = states
        let tried = Set(states.map(\.address))
        refused = peers.compactMap { peer in
            guard let reason = peer.unusableReason,
                !peer.node.addresses.contains(where: { tried.contains($0.description) })
            else { return nil }
            return (peer.node.name, reason)
        }
    }

    package var isEmpty: Bool { states.isEmpty && refused.isEmpty }

    /// Whether the cluster key is the cause: a named node does not hold it, or none of the known nodes does.
    package var lackKey: Bool {
        if states.contains(where: \.refusesKey) { return true }
        return !isEmpty && states.allSatisfy(\.lacksKey) && refused.allSatisfy { $0.reason.cause == .key }
    }

    /// One line per node with the reason.
    package var troubles: [String] {
        states.map { "node \($0.label): \($0.trouble ?? "no answer yet")" }
            + refused.map { "node \($0.name): \($0.reason.text)" }
    }
}
