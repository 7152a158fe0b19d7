public import ScanSecurity

/// The state of the connection to one address of a node.
public struct NodeState: Sendable {
    /// The phases of a link.
    public enum Status: Equatable, Sendable {
        /// A connection attempt is in progress.
        case connecting
        /// The node takes tasks.
        case joined
        /// The same node has joined under another address.
        case duplicate(of: String)
        /// The node cannot be used, or was lost; it is dialled again after a wait.
        case failed(ConnectError)
        /// The link is closed.
        case closed
    }

    /// The address as it was given; of a discovered node, the connected one, or the first.
    public var address: String
    /// The name under which it was discovered; nil for an address that was given.
    public var announcedName: String?
    /// The phase of the link.
    public var status: Status
    /// The node's description of itself when it was last connected.
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
}
