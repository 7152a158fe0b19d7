package import ScanSecurity

/// Decides which connections a node keeps, from their arrival to their end. Pure.
package struct NodeConnections {
    private enum Phase {
        /// The peer has sent no valid proof of the key. Goes to `handshaking`, or is closed for a newer connection.
        case unauthenticated
        /// The peer sent a valid proof of the key; it may be a replay. Goes to `greeting`, or is closed for a newer
        /// connection in this phase.
        case handshaking
        /// The peer holds the key, and is to send its hello. Goes to `open`, or is refused.
        case greeting
        /// A coordinator's connection.
        case open
        /// The connection has ended; its last bytes may still be sent. Removed when its socket is closed.
        case ended
    }

    private let limit: Int
    private var phases: [ConnectionID: Phase] = [:]
    private var unauthenticated: UnauthenticatedGate<ConnectionID>
    /// Separate, so that unauthenticated connections cannot evict these.
    private var handshaking: UnauthenticatedGate<ConnectionID>
    private var nextID = 0
    /// Connections of coordinators. A count, so that a flood of unauthenticated connections costs nothing.
    package private(set) var coordinators = 0

    /// A node with at most `limit` connections of peers that hold the key.
    package init(limit: Int, unauthenticated limits: UnauthenticatedLimits) {
        self.limit = limit
        unauthenticated = UnauthenticatedGate(limits: limits)
        handshaking = UnauthenticatedGate(limits: limits)
    }

    /// Whether there is no connection.
    package var isEmpty: Bool { phases.isEmpty }

    /// A connection from `host` was accepted.
    /// - Returns: its number, and the connections to close for it.
    package mutating func arrived(from host: String) -> (ConnectionID, evicted: [ConnectionID]) {
        defer { nextID += 1 }
        phases[nextID] = .unauthenticated
        return (nextID, unauthenticated.arrive(nextID, from: host))
    }

    /// The peer sent a valid proof of the key; it may be a replay.
    /// - Returns: the connections to close for it.
    package mutating func recognised(_ id: ConnectionID, from host: String) -> [ConnectionID] {
        guard phases[id] == .unauthenticated else { return [] }
        phases[id] = .handshaking
        unauthenticated.leave(id)
        return handshaking.arrive(id, from: host)
    }

    /// The handshake is complete: the peer holds the key.
    package mutating func secured(_ id: ConnectionID) {
        guard phases[id] == .handshaking else { return }
        phases[id] = .greeting
        handshaking.leave(id)
    }

    /// Why a peer that holds the key is refused when it sends its hello; nil if it is not.
    package var refusal: String? {
        let others = phases.count - unauthenticated.count - handshaking.count - 1
        return others >= limit ? "it has \(others) connections, its limit" : nil
    }

    /// A coordinator's hello was accepted.
    package mutating func opened(_ id: ConnectionID) {
        guard phases[id] == .greeting else { return }
        phases[id] = .open
        coordinators += 1
    }

    /// The connection has ended. Until its socket is closed it counts against the limits of its phase.
    package mutating func ended(_ id: ConnectionID) {
        guard let phase = phases.updateValue(.ended, forKey: id) else { return }
        if phase == .open { coordinators -= 1 }
    }

    /// The connection's socket is closed.
    package mutating func closed(_ id: ConnectionID) {
        unauthenticated.leave(id)
        handshaking.leave(id)
        phases[id] = nil
    }
}
