/// Refers to bulk bytes that a system with the same files can read itself. The code that makes the tasks writes it and
/// the node's ``BulkResolver`` reads it; the engine interprets neither part.
public struct BulkReference: Hashable, Sendable {
    /// What the bytes are read from, such as names of files. A node that cannot read an origin is sent no further
    /// references to it.
    public var origin: [UInt8]
    /// Identifies the bytes within the origin.
    public var part: [UInt8]

    /// A reference to `part` of `origin`.
    public init(origin: [UInt8], part: [UInt8]) {
        self.origin = origin
        self.part = part
    }
}

/// Reads bulk bytes to which tasks refer from the node's own files.
public protocol BulkResolver: Sendable {
    /// Reads `count` bytes. Called on a scan thread, may block, and must not trust `reference`. The caller compares the
    /// bytes with their checksum.
    /// - Throws: why they cannot be read, for the node's log.
    func bytes(of reference: BulkReference, count: Int) throws -> BulkBytes
}
