package import ScanCluster

extension NodeResources {
    /// Bulk bytes that a node keeps for later tasks of the connection that sent them.
    ///
    /// When it is full, new bytes are not kept. A job uses its bytes in rounds: a cache that evicted the oldest would
    /// evict each shortly before its next use.
    package struct Cache {
        private var bytes: [ConnectionID: [BulkKey: BulkBytes]] = [:]
        /// Bytes that are no longer kept, but that tasks still use.
        package private(set) var lent = 0
        /// Most bytes that are kept or lent.
        package let limit: Int
        /// Bytes that are kept or lent.
        package private(set) var used = 0

        package init(limit: Int) { self.limit = limit }

        /// The bytes that a connection sent under `key`.
        package func find(_ key: BulkKey, of connection: ConnectionID) -> BulkBytes? { bytes[connection]?[key] }

        /// Keeps bytes while there is room.
        /// - Returns: whether they are kept.
        package mutating func keep(_ new: BulkBytes, as key: BulkKey, of connection: ConnectionID) -> Bool {
            if bytes[connection]?[key] != nil { return true }
            guard new.count <= limit - used else { return false }
            bytes[connection, default: [:]][key] = new
            used += new.count
            return true
        }

        /// Removes the bytes that a connection sent under `key`, for the last task that uses them. They count against
        /// the limit until ``giveBack(_:)``.
        /// - Returns: the number of bytes.
        package mutating func lend(_ key: BulkKey, of connection: ConnectionID) -> Int {
            let count = bytes[connection]?.removeValue(forKey: key)?.count ?? 0
            lent += count
            return count
        }

        /// A task that was lent `count` bytes has freed them.
        package mutating func giveBack(_ count: Int) {
            lent -= count
            used -= count
        }

        /// Removes the bytes of a connection that has ended.
        package mutating func drop(_ connection: ConnectionID) {
            guard let dropped = bytes.removeValue(forKey: connection) else { return }
            used -= dropped.values.reduce(0) { $0 + $1.count }
        }

        /// Whether the invariants hold.
        package var isConsistent: Bool {
            lent >= 0 && used <= limit
                && used == bytes.values.reduce(lent) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        }
    }
}
