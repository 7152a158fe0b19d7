package import Foundation
import ScanCluster
public import ScanDiscovery
package import ScanNetwork
package import ScanSecurity

/// A node that is announced, and whether it can be used.
public struct DiscoveredPeer: Equatable, Sendable {
    /// The node, as it announces itself.
    public var node: DiscoveredNode
    /// Seconds from the start of discovery until it was discovered.
    public var seconds: Double
    /// Why no connection to it is attempted; nil if it can be used.
    public var unusableReason: UnusableReason?

    package init(node: DiscoveredNode, seconds: Double, unusableReason: UnusableReason? = nil) {
        self.node = node
        self.seconds = seconds
        self.unusableReason = unusableReason
    }
}

/// Why no connection to a node is attempted.
public struct UnusableReason: Equatable, Sendable {
    /// What prevents its use.
    public enum Cause: Equatable, Sendable {
        /// It speaks other versions of the protocol.
        case version
        /// It holds none of the keys of this process.
        case key
        /// It is on this machine, whose cores this process uses itself.
        case ownMachine
        /// It is paused.
        case paused
        /// The user has excluded it.
        case excluded
    }

    /// What prevents its use.
    public var cause: Cause
    /// The reason in words.
    public var text: String
    /// The command that shows more or solves the problem.
    public var next: String

    package init(_ cause: Cause, text: String, next: String) {
        self.cause = cause
        self.text = text
        self.next = next
    }

    /// The reason that follows from a node's announcement; nil if the handshake decides.
    package init?(
        of node: DiscoveredNode, keys: KeyRing, at time: Date, hasLocalSystem: Bool,
        among selection: NodeSelection = NodeSelection()
    ) {
        let announced = node.advertisement.keys
        // A node of a list or of the DNS has an address for a name: its own one is known after the handshake.
        let isNamed = node.advertisement.id != nil
        let selection = isNamed ? selection : NodeSelection(excluded: selection.excluded)
        if let reason = selection.refusal(of: node.name) {
            cause = .excluded
            text = reason
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
    /// The peer for a discovered node.
    init(_ node: DiscoveredNode, key: String) {
        self.init(
            key: key, name: node.name, identity: node.advertisement.id, slots: node.advertisement.slots,
            addresses: node.addresses)
    }
}
