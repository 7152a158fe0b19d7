/// Where a system that has the same files finds bulk bytes by itself. The maker of the job writes it and the node's
/// ``BulkResolver`` reads it; the engine reads neither part.
public struct BulkReference: Hashable, Sendable {
    /// What the bytes are read from, such as names of files. A node that cannot read them is sent no further references
    /// to it.
    public var origin: [UInt8]
    /// Which of its bytes.
    public var part: [UInt8]

    /// A reference to `part` of `origin`.
    public init(origin: [UInt8], part: [UInt8]) {
        self.origin = origin
        self.part = part
    }
}

/// Finds the bulk bytes to which tasks refer where a node has them by itself.
public protocol BulkResolver: Sendable {
    /// Reads `count` bytes. Called on a scan thread, may block, and must not rely on anything in `reference`. Whether
    /// they are the right ones is checked afterwards.
    /// - Throws: why they are not here, for the node's log.
    func bytes(of reference: BulkReference, count: Int) throws -> BulkBytes
}
