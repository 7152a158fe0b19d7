/// What connections may take before they have proved that they hold the cluster key.
package struct StrangerLimits: Sendable, Equatable {
    /// Connections in all; one more ends the oldest of the address that has most. 256 by default.
    package var connections: Int
    /// Connections from one address; one more ends its oldest. 64 by default.
    package var connectionsPerAddress: Int
    /// Bytes that the handshake may take from the peer. An honest one takes less than 600; 4096 by default.
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
