extension BulkSource {
    /// A source of the bytes of `values`, which are copied now: of `[UInt8]`, `Data`, `[Float]` and the like.
    ///
    /// The bytes are in the order of this machine, as they lie in memory. Make the source when the task is about to be
    /// sent, in the closure `bulk` of `ScanCoordinator.responses(to:bulk:observer:)`, and only the bytes of the tasks
    /// that are in flight are in memory.
    /// - Parameters:
    ///   - values: must have no padding, whose bytes are undefined; numbers have none.
    ///   - key: the key under which a node may keep the bytes for later tasks of the same job; nil if they are used once.
    ///   - isLastUse: whether all other tasks that have `key` are finished; see ``isLastUse``.
    public convenience init<Value: BitwiseCopyable>(
        copying values: some Collection<Value>, key: BulkKey? = nil, isLastUse: Bool = false
    ) {
        let bytes =
            values.withContiguousStorageIfAvailable { BulkBytes(copying: UnsafeRawBufferPointer($0)) }
            ?? Array(values).withUnsafeBytes { BulkBytes(copying: $0) }
        let size = MemoryLayout<Value>.stride
        self.init(
            key: key, isLastUse: isLastUse, byteCount: bytes.count,
            numberSize: [1, 2, 4, 8].contains(size) ? size : nil
        ) { bytes }
    }
}

extension BulkBytes {
    fileprivate convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }
}
