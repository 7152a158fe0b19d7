import ScanBasics

/// Encodes any Encodable value compactly. Reusable, to keep its memory; not thread-safe.
package final class WireEncoder {
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers: values encode themselves between the accesses.
    @exclusivity(unchecked) var message = EncodedMessage()

    package init() {}

    /// Encodes `value` and calls `body` with the bytes, which are valid until it returns.
    /// - Throws: what `value` or `body` throws, or ``WireError`` if the coded form is not supported.
    package func encode<Result>(
        _ value: some Encodable, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        message.begin()
        defer { message.releaseMemory() }
        try encodeValue(value, level: -1)
        return try body(try message.end())
    }

    /// The coded form of `value`.
    package func encode(_ value: some Encodable) throws -> [UInt8] { try encode(value) { [UInt8]($0) } }

    /// Encodes `value` as the next value of the container at `level`.
    func encodeValue<Value: Encodable>(_ value: Value, level: Int) throws {
        if message.putPlain(value) { return }
        let position = message.count
        try value.encode(to: ValueEncoder(encoder: self, level: level, position: position))
        message.endValue(level: level, position: position)
    }
}

extension WireEncoder {
    /// A pool of encoders, which keep their memory. It grows to the number of threads that encode at the same time.
    final class Pool: Sendable {
        private let idle = Locked<[WireEncoder]>([])

        /// The coded form of `value`.
        /// - Throws: as ``WireEncoder/encode(_:)``.
        func encode(_ value: some Encodable) throws -> [UInt8] {
            let encoder = idle.withLock { $0.popLast() } ?? WireEncoder()
            defer { idle.withLock { $0.append(encoder) } }
            return try encoder.encode(value)
        }
    }
}
