/// Time limits of a connection.
public struct ConnectionTiming: Equatable, Sendable {
    /// Longest wait for a TCP connection to one address; 3 s by default.
    public var connect = Duration.seconds(3)
    /// Longest wait for the peer's proof that it holds the key, and its hello; 3 s by default.
    public var handshake = Duration.seconds(3)
    /// Time between heartbeats; 1 s by default.
    public var heartbeat = Duration.seconds(1)
    /// Silence after which a peer is considered dead; 3 s by default, and at least several heartbeats.
    public var silence = Duration.seconds(3)

    /// The default limits.
    public init() {}
}
