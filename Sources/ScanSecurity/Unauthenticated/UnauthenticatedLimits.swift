/// Limits for connections whose peer has not yet proved that it holds the cluster key.
package struct UnauthenticatedLimits: Sendable, Equatable {
    /// Total number of connections; one more closes the oldest of the address with the most connections. 256 by
    /// default.
    package var connections: Int
    /// Number of connections from one address; one more closes its oldest. 64 by default.
    package var connectionsPerAddress: Int
    /// Bytes received from the peer during the handshake. A member sends less than 600; 4096 by default.
    package var handshakeBytes: Int

    /// Creates limits; values below 1 become 1.
    package init(
        connections: Int = 256, connectionsPerAddress: Int = 64, handshakeBytes: Int = 4096
    ) {
        self.connections = max(1, connections)
        self.connectionsPerAddress = max(1, connectionsPerAddress)
        self.handshakeBytes = max(1, handshakeBytes)
    }
}
