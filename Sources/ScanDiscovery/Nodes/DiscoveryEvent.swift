/// What discovery tells its user.
public enum DiscoveryEvent: Hashable, Sendable {
    /// The source of announcements works.
    case available
    /// The source of announcements fails, for this reason; it is tried again. Told again when the reason changes.
    case unavailable(DiscoveryError)
    /// A node to try, once over all its addresses. Tell ``NodeDiscovery/report(_:of:)`` how it went.
    case found(DiscoveredNode)
    /// A node announces other addresses or facts than before.
    case changed(DiscoveredNode)
    /// A node is announced no longer. A connection to it may live on: only its heartbeats tell.
    case lost(DiscoveredNode)
}

/// How a connection to a discovered node went.
public enum ConnectionOutcome: Hashable, Sendable {
    /// The handshake succeeded.
    case connected
    /// The connection was made and ended. The node is offered again soon, then less and less often.
    case ended
    /// No address led to the node: it may be a ghost, whose leave-taking was lost, or not be of this cluster. It is
    /// offered again when it is announced anew, or after a long time.
    case failed
}
