/// An event of discovery.
public enum DiscoveryEvent: Hashable, Sendable {
    /// The source of announcements works.
    case available
    /// The source of announcements fails, for this reason; it is retried. Reported again when the reason changes.
    case unavailable(DiscoveryError)
    /// A node to connect to once, over all its addresses. Report the outcome with ``NodeDiscovery/report(_:of:)``.
    case found(DiscoveredNode)
    /// The addresses or the announced facts of a node have changed.
    case changed(DiscoveredNode)
    /// A node is no longer announced. A connection to it may continue: its heartbeats decide.
    case lost(DiscoveredNode)
}

/// The outcome of a connection to a discovered node.
public enum ConnectionOutcome: Hashable, Sendable {
    /// The handshake succeeded.
    case connected
    /// The connection was established and has ended. The node is offered again, after increasing pauses.
    case ended
    /// No address reached the node. Its announcement may be stale, because its withdrawal was lost, or it may belong to
    /// another cluster. The node is offered again when it is announced anew, or after a long time.
    case failed
}
