/// Limits of connections whose peer has not yet proved that it holds the cluster key.
package struct UnauthenticatedLimits: Sendable, Equatable {
    /// Connections in all; one more closes the oldest of the address that has most. 256 by default.
    package var connections: Int
    /// Connections from one address; one more closes its oldest. 64 by default.
    package var connectionsPerAddress: Int
    /// Bytes of the peer's side of the handshake. A member's takes less than 600; 4096 by default.
    package var handshakeBytes: Int

    /// Limits; counts and bytes below 1 become 1.
    package init(
        connections: Int = 256, connectionsPerAddress: Int = 64, handshakeBytes: Int = 4096
    ) {
        self.connections = max(1, connections)
        self.connectionsPerAddress = max(1, connectionsPerAddress)
        self.handshakeBytes = max(1, handshakeBytes)
    }
}
