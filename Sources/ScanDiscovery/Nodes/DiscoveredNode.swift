public import ScanBasics

/// A node announced on the network, with all its addresses. Not authenticated before the handshake.
public struct DiscoveredNode: Hashable, Identifiable, Sendable {
    /// Identifies a node across its announcements.
    public enum ID: Comparable, Hashable, Sendable {
        /// The identity that the node announces.
        case identity(SystemID)
        /// The name of the instance, for a node that announces no identity.
        case name(String)
    }

    /// Identifier of the node: the same for all its names, interfaces and addresses.
    public var id: ID
    /// The name to display, without control characters and without the digits that made it unique.
    public var name: String
    /// Numeric addresses; those that most machines can reach come first. Never empty.
    public var addresses: [SocketAddress]
    /// The announced capacity, versions and fingerprints.
    public var advertisement: NodeAdvertisement
    /// Whether one of its addresses belongs to this machine.
    public var isOnThisMachine: Bool

    /// Creates a node from its parts.
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
    /// Arbitrary but fixed order, for reproducible results.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.identity(let first), .identity(let second)): first.description < second.description
        case (.name(let first), .name(let second)): first < second
        case (.identity, .name): true
        case (.name, .identity): false
        }
    }
}
