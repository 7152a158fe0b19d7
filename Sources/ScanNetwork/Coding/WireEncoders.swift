import ScanCluster

/// A pool of encoders, which keep their memory. It grows to the number of threads that encode at the same time.
final class WireEncoders: Sendable {
    private let idle = Locked<[WireEncoder]>([])

    /// The coded form of `value`.
    /// - Throws: as ``WireEncoder/encode(_:)``.
    func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = idle.withLock { $0.popLast() } ?? WireEncoder()
        defer { idle.withLock { $0.append(encoder) } }
        return try encoder.encode(value)
    }
}
