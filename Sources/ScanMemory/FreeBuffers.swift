/// Which freed buffers are kept: the last ones, as many as fit into a number of bytes.
struct FreeBuffers {
    /// A buffer by its address, which this list never follows.
    struct Buffer: Equatable {
        let address: UInt
        let byteCount: Int
    }

    private var limit: Int
    // Oldest first.
    private var buffers: [Buffer] = []
    /// Bytes of all buffers.
    private(set) var byteCount = 0

    /// None yet, and never more than `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// Removes the buffer of that size that was added last.
    /// - Returns: its address, nil if there is none.
    mutating func take(_ byteCount: Int) -> UInt? {
        guard let index = buffers.lastIndex(where: { $0.byteCount == byteCount }) else { return nil }
        self.byteCount -= byteCount
        return buffers.remove(at: index).address
    }

    /// Adds a buffer, unless it is larger than all may be together.
    /// - Returns: those that are kept no more, perhaps that one.
    mutating func add(_ buffer: Buffer) -> [Buffer] {
        if buffer.byteCount > limit { return [buffer] }
        buffers.append(buffer)
        byteCount += buffer.byteCount
        return removeExcess(over: limit)
    }

    /// Changes the limit.
    /// - Returns: the buffers that are kept no more.
    mutating func setLimit(_ byteCount: Int) -> [Buffer] {
        limit = byteCount
        return removeExcess(over: limit)
    }

    /// Removes all buffers.
    /// - Returns: them.
    mutating func removeAll() -> [Buffer] { removeExcess(over: 0) }

    private mutating func removeExcess(over limit: Int) -> [Buffer] {
        var excess: [Buffer] = []
        while byteCount > limit {
            excess.append(buffers.removeFirst())
            byteCount -= excess[excess.count - 1].byteCount
        }
        return excess
    }
}
