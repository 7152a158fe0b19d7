/// Freed buffers kept for reuse: the most recent ones, up to a limit in bytes.
package struct FreeBuffers {
    /// A buffer, identified by its address, which is never dereferenced here.
    package struct Buffer: Equatable {
        package let address: UInt
        package let byteCount: Int

        package init(address: UInt, byteCount: Int) { (self.address, self.byteCount) = (address, byteCount) }
    }

    private var limit: Int
    // Oldest first.
    private var buffers: [Buffer] = []
    /// Total size of the buffers.
    package private(set) var byteCount = 0

    /// Creates an empty list that holds at most `limit` bytes.
    package init(limit: Int) { self.limit = limit }

    /// Removes the most recently added buffer of exactly `byteCount` bytes.
    /// - Returns: the buffer's address, or nil if there is none.
    package mutating func take(_ byteCount: Int) -> UInt? {
        guard let index = buffers.lastIndex(where: { $0.byteCount == byteCount }) else { return nil }
        self.byteCount -= byteCount
        return buffers.remove(at: index).address
    }

    /// Adds a buffer, unless its size alone exceeds the limit.
    /// - Returns: the buffers to deallocate, which may include this one.
    package mutating func add(_ buffer: Buffer) -> [Buffer] {
        if buffer.byteCount > limit { return [buffer] }
        buffers.append(buffer)
        byteCount += buffer.byteCount
        return removeExcess(over: limit)
    }

    /// Changes the limit.
    /// - Returns: the buffers to deallocate.
    package mutating func setLimit(_ byteCount: Int) -> [Buffer] {
        limit = byteCount
        return removeExcess(over: limit)
    }

    /// Removes and returns all buffers.
    package mutating func removeAll() -> [Buffer] { removeExcess(over: 0) }

    private mutating func removeExcess(over limit: Int) -> [Buffer] {
        var excess: [Buffer] = []
        while byteCount > limit {
            excess.append(buffers.removeFirst())
            byteCount -= excess[excess.count - 1].byteCount
        }
        return excess
    }
}
