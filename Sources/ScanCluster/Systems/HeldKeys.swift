/// The bulk keys a system is believed to hold, newest first to be believed. A wrong belief costs a transfer, no more.
package struct HeldKeys: Sendable {
    /// More keys than a node's cache has bands.
    package static let limit = 1024
    private var keys: Set<BulkKey> = []
    private var order: [BulkKey] = []
    private var oldest = 0

    /// None.
    package init() {}

    /// Whether `key` was inserted lately.
    package func contains(_ key: BulkKey) -> Bool { keys.contains(key) }

    /// The system was given `key`.
    package mutating func insert(_ key: BulkKey) {
        guard keys.insert(key).inserted else { return }
        if order.count < Self.limit {
            order.append(key)
        } else {
            keys.remove(order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % Self.limit
        }
    }
}
