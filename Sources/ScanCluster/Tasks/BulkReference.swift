/// Refers to bulk bytes that a system with the same files can read itself. The code that makes the tasks writes it and
/// the node's ``BulkResolver`` reads it; the engine interprets neither part.
public struct BulkReference: Hashable, Sendable {
    /// What the bytes are read from, such as names of files. A node that cannot read an origin is sent no further
    /// references to it.
    public var origin: [UInt8]
    /// Identifies the bytes within the origin.
    public var part: [UInt8]
    /// Whether the two identify the bytes' content, too, so that nobody has to read them for a checksum before they are
    /// referred to. A system that reads them reports their checksum.
    public var identifiesBytes: Bool
    /// Whether the bytes are a system's answer to a question, which is not counted as bytes that it has read for a task.
    public var isQuestion = false

    /// A reference to `part` of `origin`.
    public init(origin: [UInt8], part: [UInt8], identifiesBytes: Bool = false) {
        self.origin = origin
        self.part = part
        self.identifiesBytes = identifiesBytes
    }

    /// A number for an origin; those of different ones are hardly ever equal.
    package static func number(of origin: [UInt8]) -> Int { origin.hashValue }
}

/// Reads bulk bytes to which tasks refer from the node's own files.
public protocol BulkResolver: Sendable {
    /// Reads `count` bytes. Called on a scan thread, may block, and must not trust `reference`. The caller compares the
    /// bytes with their checksum, unless the reference identifies them: then the resolver finds out whether they are
    /// the same. If `unpackedCount` is not nil, the bytes are wanted in packed form, packed from that
    /// many.
    /// - Throws: why they cannot be read, for the node's log.
    func bytes(of reference: BulkReference, count: Int, unpackedCount: Int?) throws -> BulkBytes
}

/// Unpacks bulk bytes that a coordinator sent in packed form, which is shorter than the bytes. The code that makes the
/// tasks packs them; the engine does not interpret them.
public protocol BulkUnpacker: Sendable {
    /// Names the packed form and the code that unpacks it. Coordinators pack bytes only for nodes whose form is equal to
    /// theirs; these must unpack the same bytes.
    var form: String { get }

    /// The `unpackedCount` bytes that `packed` was packed from. Called on a scan thread, and must not trust `packed`.
    /// - Throws: why they cannot be unpacked, for the node's log.
    func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes
}
