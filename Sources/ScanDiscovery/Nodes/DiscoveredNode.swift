public import ScanBasics

/// A node that was announced on the network, with all its addresses. Not authenticated before the handshake.
public struct DiscoveredNode: Hashable, Identifiable, Sendable {
    /// Distinguishes nodes.
    public enum ID: Comparable, Hashable, Sendable {
        /// The identity the node announces.
        case identity(SystemID)
        /// The instance's name, for a node that announces no identity.
        case name(String)
    }

    /// The node: the same for all its names, interfaces and addresses.
    public var id: ID
    /// A name to show, without control characters and without the digits that made it unique.
    public var name: String
    /// Numeric addresses, beginning with those that most machines can reach; never empty.
    public var addresses: [SocketAddress]
    /// The facts that it announces about itself.
    public var advertisement: NodeAdvertisement
    /// True if one of its addresses is one of this machine's.
    public var isOnThisMachine: Bool

    /// A node.
    public init(
        id: ID, name: String, addresses: [SocketAddress], advertisement: NodeAdvertisement,
        isOnThisMachine: Bool = false
    ) {
        self.id = id
        self.name = name
        self.addresses = addresses
        self.advertisement = advertisement
        self.isOnThisMachine = isOnThisMachine
    }
}

extension DiscoveredNode.ID {
    /// An arbitrary order, for reproducible results.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.identity(let first), .identity(let second)): first.description < second.description
        case (.name(let first), .name(let second)): first < second
        case (.identity, .name): true
        case (.name, .identity): false
        }
    }
}
