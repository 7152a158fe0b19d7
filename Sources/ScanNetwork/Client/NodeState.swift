public import ScanCluster
public import ScanSecurity

/// How it stands with one address of a node.
public struct NodeState: Sendable {
    /// How far the link has come.
    public enum Status: Equatable, Sendable {
        /// A try is under way.
        case connecting
        /// The node takes tasks.
        case joined
        /// The same node has joined under another address.
        case duplicate(of: String)
        /// The node cannot be used, or was lost; it is tried again now and then.
        case failed(ScanError)
        /// The link is closed.
        case closed
    }

    /// The address as it was given; of a node that was found, the one that led to it, or the first.
    public var address: String
    /// The name under which it was found; nil for an address that was given.
    public var announcedName: String?
    /// How far the link has come.
    public var status: Status
    /// What the node told of itself when it was last connected.
    public var node: NodeInfo?
    /// The key that both sides held when it was last connected.
    public var key: KeyFingerprint?
    /// Time from the last heartbeat to its answer.
    public var roundTrip: Duration?

    package init(address: String, announcedName: String? = nil) {
        self.address = address
        self.announcedName = announcedName
        status = .connecting
    }

    /// Whether the first try has ended.
    var isSettled: Bool { status != .connecting }
}
