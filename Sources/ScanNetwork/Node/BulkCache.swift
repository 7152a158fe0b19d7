package import ScanCluster

/// Names a coordinator's connection to a node: what it has there, tasks and bytes, lasts as long as the connection.
package typealias Lease = Int

/// Bulk bytes that a node keeps for later tasks of the connection that sent them.
///
/// When it is full, new bytes are not kept: a job reads its bytes in rounds, and a cache that made room by dropping
/// the oldest would drop each shortly before it is needed.
package struct BulkCache {
    private var bytes: [Lease: [BulkKey: BulkBytes]] = [:]
    /// Bytes that are kept no more, but that tasks still have.
    private var lent = 0
    /// Most bytes that are kept or lent.
    package let limit: Int
    /// Bytes that are kept or lent.
    package private(set) var used = 0

    package init(limit: Int) { self.limit = limit }

    /// The bytes that a connection sent under `key`.
    package func find(_ key: BulkKey, of lease: Lease) -> BulkBytes? { bytes[lease]?[key] }

    /// Keeps bytes while there is room.
    /// - Returns: whether they are kept.
    package mutating func keep(_ new: BulkBytes, as key: BulkKey, of lease: Lease) -> Bool {
        if bytes[lease]?[key] != nil { return true }
        guard new.count <= limit - used else { return false }
        bytes[lease, default: [:]][key] = new
        used += new.count
        return true
    }

    /// Forgets the bytes that a connection sent under `key`: the task that has them is the last to need them. They take
    /// their room until that task gives it back.
    /// - Returns: the number of bytes.
    package mutating func lend(_ key: BulkKey, of lease: Lease) -> Int {
        let count = bytes[lease]?.removeValue(forKey: key)?.count ?? 0
        lent += count
        return count
    }

    /// A task that was lent so many bytes has let them go.
    package mutating func giveBack(_ count: Int) {
        lent -= count
        used -= count
    }

    /// Forgets what a connection sent.
    package mutating func drop(_ lease: Lease) {
        guard let dropped = bytes.removeValue(forKey: lease) else { return }
        used -= dropped.values.reduce(0) { $0 + $1.count }
    }

    /// Whether the numbers add up.
    package var isConsistent: Bool {
        lent >= 0 && used <= limit
            && used == bytes.values.reduce(lent) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    }
}
