package import Foundation
package import ScanCluster
public import ScanDiscovery
import ScanNetwork
package import ScanSecurity

/// An announced node, and whether it can be used.
public struct DiscoveredPeer: Equatable, Sendable {
    /// The node as it announces itself.
    public var node: DiscoveredNode
    /// Seconds from the start of discovery until it was discovered.
    public var seconds: Double
    /// The reason why no connection to the node is attempted, or nil if it can be used.
    public var unusableReason: UnusableReason?

    package init(node: DiscoveredNode, seconds: Double, unusableReason: UnusableReason? = nil) {
        self.node = node
        self.seconds = seconds
        self.unusableReason = unusableReason
    }
}

/// The reason why no connection to a node is attempted.
public struct UnusableReason: Equatable, Sendable {
    /// Category of the reason.
    public enum Cause: Equatable, Sendable {
        /// The node uses other versions of the protocol.
        case version
        /// The node holds none of the keys of this process.
        case key
        /// The node is on this machine, whose cores this process uses itself.
        case ownMachine
        /// The node is paused.
        case paused
        /// The user has excluded the node.
        case excluded
        /// The user has named a node in such a way that this one or another one could be meant.
        case ambiguous
    }

    /// Category of the reason, for programs.
    public var cause: Cause
    /// Description of the reason, for users.
    public var text: String
    /// Command that shows more information or solves the problem.
    public var next: String

    package init(_ cause: Cause, text: String, next: String) {
        self.cause = cause
        self.text = text
        self.next = next
    }

    /// Returns the reason that follows from a node's announcement, or nil if only the handshake can decide. `known` are
    /// the names of all nodes known so far.
    package init?(
        of node: DiscoveredNode, keys: KeyRing, at time: Date, hasLocalSystem: Bool,
        among selection: NodeSelection = NodeSelection(), known: Set<String> = []
    ) {
        let announced = node.advertisement.keys
        // A node from a list or from the DNS has its address as name; its own name is known only after the handshake.
        let isNamed = node.advertisement.id != nil
        let selection = isNamed ? selection : NodeSelection(excluded: selection.excluded)
        if let refusal = selection.refusal(of: node.name, among: known) {
            cause = refusal.ambiguity == nil ? .excluded : .ambiguous
            text = refusal.ambiguity ?? refusal.text
            next = "skyfarm nodes"
        } else if let versions = node.advertisement.versions, !versions.overlaps(Hello.versions) {
            cause = .version
            text =
                "speaks protocol \(versions.words), this program \(Hello.versions.words);"
                + " use the same version of skyfarm on both"
            next = "skyfarm --version"
        } else if let first = announced.first,
            !keys.keys(at: time).contains(where: { announced.contains($0.fingerprint) })
        {
            cause = .key
            text = TLSError.wrongKey(ours: keys.current.fingerprint, theirs: first).message
            next = "skyfarm key import"
        } else if node.advertisement.isPaused {
            cause = .paused
            text = "is paused"
            next = "skyfarm nodes resume \(node.name)"
        } else if hasLocalSystem, node.isOnThisMachine {
            cause = .ownMachine
            text = "is on this machine, which takes part itself; --local-slots 0 leaves the work to the node"
            next = "skyfarm scan --local-slots 0"
        } else {
            return nil
        }
    }
}

extension Systems.Peer {
    /// Creates the peer for a discovered node.
    init(_ node: DiscoveredNode, key: String) {
        self.init(
            key: key, name: node.name, identity: node.advertisement.id, slots: node.advertisement.slots,
            addresses: node.addresses, isPaused: node.advertisement.isPaused)
    }
}
