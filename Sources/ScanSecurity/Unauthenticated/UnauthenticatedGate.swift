/// Limits the number of connections in the handshake, by deciding which one to close for a new one. Performs no I/O.
///
/// The newest connection is always accepted and the oldest is closed. A peer that holds the key finishes the handshake
/// within milliseconds, before a flood of idle connections can evict it. Refusing the newest would let that flood lock
/// out every peer.
package struct UnauthenticatedGate<ID: Hashable> {
    private struct Connection {
        var id: ID
        /// Sequence number of arrival.
        var number: UInt64
    }

    private let limits: UnauthenticatedLimits
    /// The connections of each host, the oldest first; no list is empty.
    private var lists: [String: [Connection]] = [:]
    private var hosts: [ID: String] = [:]
    private var arrivals: UInt64 = 0

    package init(limits: UnauthenticatedLimits = UnauthenticatedLimits()) { self.limits = limits }

    /// Number of connections that have not finished the handshake.
    package var count: Int { hosts.count }

    /// Adds a connection accepted from `host`, a numeric address.
    /// - Returns: the connections to close to stay within the limits.
    package mutating func arrive(_ id: ID, from host: String) -> [ID] {
        leave(id)
        var evicted: [ID] = []
        if let list = lists[host], list.count >= limits.connectionsPerAddress {
            evicted = [list[0].id]
        } else if count >= limits.connections, let oldest = oldestOfLargestList {
            evicted = [oldest]
        }
        evicted.forEach { leave($0) }
        lists[host, default: []].append(Connection(id: id, number: arrivals))
        hosts[id] = host
        arrivals += 1
        return evicted
    }

    /// Removes a connection that has finished its handshake or is closed. Has no effect if it is unknown.
    package mutating func leave(_ id: ID) {
        guard let host = hosts.removeValue(forKey: id) else { return }
        lists[host]?.removeAll { $0.id == id }
        if lists[host]?.isEmpty == true { lists[host] = nil }
    }

    /// The oldest connection of the host with the most connections. Searches hosts, not connections, because this runs
    /// for every connection of a flood.
    private var oldestOfLargestList: ID? {
        var largest: [Connection] = []
        for list in lists.values
        where list.count > largest.count || (list.count == largest.count && list[0].number < largest[0].number) {
            largest = list
        }
        return largest.first?.id
    }

    /// Whether the invariants hold; for tests.
    package var isConsistent: Bool {
        let listed = lists.flatMap { host, list in list.map { ($0.id, host) } }
        return listed.count == count && listed.allSatisfy { hosts[$0.0] == $0.1 } && count <= limits.connections
            && lists.values.allSatisfy { (1...limits.connectionsPerAddress).contains($0.count) }
            && lists.values.allSatisfy { list in zip(list, list.dropFirst()).allSatisfy { $0.number < $1.number } }
    }
}
