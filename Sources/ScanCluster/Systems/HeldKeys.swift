/// The bulk keys that a system is believed to hold; the newest are kept. A mistake costs one transfer.
package struct HeldKeys: Sendable {
    /// More keys than a node's cache has bands.
    package static let limit = 1024
    private(set) var keys: Set<BulkKey> = []
    private var order: [BulkKey] = []
    private var oldest = 0

    package init() {}

    /// Whether `key` is among the newest keys.
    package func contains(_ key: BulkKey) -> Bool { keys.contains(key) }

    /// The system was not sent the bytes of `key` after all.
    /// - Returns: whether the key was there.
    package mutating func remove(_ key: BulkKey) -> Bool { keys.remove(key) != nil }

    /// The system was sent the bytes of `key`.
    /// - Returns: whether the key is new, and the key that was dropped for it.
    @discardableResult
    package mutating func insert(_ key: BulkKey) -> (isNew: Bool, forgotten: BulkKey?) {
        guard keys.insert(key).inserted else { return (false, nil) }
        guard order.count == Self.limit else {
            order.append(key)
            return (true, nil)
        }
        // It may have been removed meanwhile.
        let forgotten = keys.remove(order[oldest])
        order[oldest] = key
        oldest = (oldest + 1) % Self.limit
        return (true, forgotten)
    }
}
