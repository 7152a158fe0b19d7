/// Decides which connections may stay that have not finished the handshake. Pure.
///
/// The newest always stays and the oldest goes: whoever holds the key is done within a few milliseconds, and is through
/// before a crowd of idle strangers can push it out. Refusing the newest would let that crowd shut everybody out.
package struct StrangerGate<ID: Hashable, Address: Hashable> {
    private struct Stranger {
        var address: Address
        /// Order of arrival.
        var number: UInt64
    }

    private let limits: StrangerLimits
    private var strangers: [ID: Stranger] = [:]
    private var counts: [Address: Int] = [:]
    private var arrivals: UInt64 = 0

    package init(limits: StrangerLimits = StrangerLimits()) { self.limits = limits }

    /// Connections that have not finished the handshake.
    package var count: Int { strangers.count }

    /// A connection was accepted.
    /// - Returns: the connections to close in its favour.
    package mutating func arrive(_ id: ID, from address: Address) -> [ID] {
        leave(id)
        var evicted: [ID] = []
        if counts[address, default: 0] >= limits.connectionsPerAddress {
            evicted = evictOldest { $0.address == address }
        } else if strangers.count >= limits.connections {
            let most = counts.values.max()
            let crowds = Set(counts.filter { $0.value == most }.keys)
            evicted = evictOldest { crowds.contains($0.address) }
        }
        strangers[id] = Stranger(address: address, number: arrivals)
        arrivals += 1
        counts[address, default: 0] += 1
        return evicted
    }

    /// A connection has finished its handshake or is closed: it is no stranger any more. Unknown ones are ignored.
    package mutating func leave(_ id: ID) {
        guard let stranger = strangers.removeValue(forKey: id) else { return }
        let left = counts[stranger.address, default: 1] - 1
        counts[stranger.address] = left == 0 ? nil : left
    }

    private mutating func evictOldest(where isCandidate: (Stranger) -> Bool) -> [ID] {
        let oldest = strangers.filter { isCandidate($0.value) }.min { $0.value.number < $1.value.number }
        guard let oldest else { return [] }
        leave(oldest.key)
        return [oldest.key]
    }

    /// Checks that the books agree; for tests.
    package var isConsistent: Bool {
        let counted = Dictionary(grouping: strangers.values, by: \.address).mapValues(\.count)
        return counted == counts && count <= limits.connections
            && counts.values.allSatisfy { $0 <= limits.connectionsPerAddress }
    }
}
