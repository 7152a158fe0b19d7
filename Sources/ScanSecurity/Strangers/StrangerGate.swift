/// Decides which connections may stay that have not finished the handshake. Pure.
///
/// The newest always stays and the oldest goes: whoever holds the key is done within a few milliseconds, and is through
/// before a crowd of idle strangers can push it out. Refusing the newest would let that crowd shut everybody out.
package struct StrangerGate<ID: Hashable, Address: Hashable> {
    private struct Stranger {
        var id: ID
        /// Order of arrival.
        var number: UInt64
    }

    private let limits: StrangerLimits
    /// The strangers of each address, the oldest first; no list is empty.
    private var lists: [Address: [Stranger]] = [:]
    private var addresses: [ID: Address] = [:]
    private var arrivals: UInt64 = 0

    package init(limits: StrangerLimits = StrangerLimits()) { self.limits = limits }

    /// Connections that have not finished the handshake.
    package var count: Int { addresses.count }

    /// A connection was accepted.
    /// - Returns: the connections to close in its favour.
    package mutating func arrive(_ id: ID, from address: Address) -> [ID] {
        leave(id)
        var evicted: [ID] = []
        if let list = lists[address], list.count >= limits.connectionsPerAddress {
            evicted = [list[0].id]
        } else if count >= limits.connections, let oldest = oldestOfLargestCrowd {
            evicted = [oldest]
        }
        evicted.forEach { leave($0) }
        lists[address, default: []].append(Stranger(id: id, number: arrivals))
        addresses[id] = address
        arrivals += 1
        return evicted
    }

    /// A connection has finished its handshake or is closed: it is no stranger any more. Unknown ones are ignored.
    package mutating func leave(_ id: ID) {
        guard let address = addresses.removeValue(forKey: id) else { return }
        lists[address]?.removeAll { $0.id == id }
        if lists[address]?.isEmpty == true { lists[address] = nil }
    }

    /// Looks at each address once, not at each stranger: this is done for every connection of a flood.
    private var oldestOfLargestCrowd: ID? {
        var largest: [Stranger] = []
        for list in lists.values
        where list.count > largest.count || (list.count == largest.count && list[0].number < largest[0].number) {
            largest = list
        }
        return largest.first?.id
    }

    /// Checks that the books agree; for tests.
    package var isConsistent: Bool {
        let listed = lists.flatMap { address, list in list.map { ($0.id, address) } }
        return listed.count == count && listed.allSatisfy { addresses[$0.0] == $0.1 } && count <= limits.connections
            && lists.values.allSatisfy { (1...limits.connectionsPerAddress).contains($0.count) }
            && lists.values.allSatisfy { list in zip(list, list.dropFirst()).allSatisfy { $0.number < $1.number } }
    }
}
