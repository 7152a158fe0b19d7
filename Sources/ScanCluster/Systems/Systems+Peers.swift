extension Systems {
    /// A node of this cluster that is known by its announcement. It takes no tasks until it is connected and has joined.
    public struct Peer: Equatable, Sendable {
        /// Distinguishes it from other peers; the same each time it is discovered.
        public var key: String
        /// Name for users.
        public var name: String
        /// Identity that it claims; only its handshake proves it.
        public var identity: SystemID?
        /// Tasks that it claims to run at the same time.
        public var slots: Int?
        /// Numeric addresses, beginning with those that most machines can reach; link-local ones with their interface,
        /// as `fe80::1%eth0`.
        public var addresses: [SocketAddress]
        /// Whether it announces that it runs no tasks now.
        public var isPaused: Bool

        /// A peer.
        public init(
            key: String, name: String, identity: SystemID? = nil, slots: Int? = nil, addresses: [SocketAddress],
            isPaused: Bool = false
        ) {
            self.key = key
            self.name = name
            self.identity = identity
            self.slots = slots
            self.addresses = addresses
            self.isPaused = isPaused
        }
    }

    /// The peers that are known, connected or not, by name.
    public var peers: [Peer] {
        registry.withLock { $0.peers.values.sorted { ($0.name, $0.key) < ($1.name, $1.key) } }
    }

    /// Adds a peer, or replaces the one of the same key.
    package func list(_ peer: Peer) { registry.withLock { $0.peers[peer.key] = peer } }

    /// Removes the peer of this key. If it is connected, it stays so.
    package func unlist(_ key: String) { registry.withLock { _ = $0.peers.removeValue(forKey: key) } }
}
