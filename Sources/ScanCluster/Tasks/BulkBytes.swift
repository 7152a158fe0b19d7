internal import ScanBasics
internal import Synchronization

/// The binary input of a task, such as pixels, which is not coded with the task. Written once, by an initialiser; after
/// that only the holder of the only reference may write it.
public final class BulkBytes: @unchecked Sendable {
    // Sendable: the bytes are written only inside `init`, before another thread can refer to this object, or while
    // there is only one reference to it, and freed in `deinit`.
    private let memory: UnsafeMutableRawBufferPointer
    /// The owner of borrowed memory, and what to call when it is no longer used.
    private var loan: (owner: BulkBytes, ended: @Sendable () -> Void)?
    /// Number of bytes once a ``BulkUnpacker`` has unpacked them, or the engine has expanded them; nil if the bytes are
    /// neither packed nor compressed.
    public let unpackedCount: Int?
    /// Whether the engine has compressed the bytes; they are not packed then.
    package let isCompressed: Bool
    /// Reads the bytes on the slot that needs them; nil: they are here.
    package let read: (@Sendable () throws -> BulkBytes)?
    /// Gets the unpacked bytes on the slot of this process that has unpacked them.
    package let unpacked: (@Sendable (BulkBytes) -> Void)?
    /// Their checksum; 0 while it is unknown.
    private let knownChecksum = Atomic<UInt64>(0)

    /// Allocates `byteCount` bytes, none if that is negative, aligned to 64, and lets `fill` write all of them.
    ///
    /// `unpackedCount` is the number of bytes that they are packed from; nil if they are not packed.
    /// - Throws: what `fill` throws.
    public init(
        byteCount: Int, unpackedCount: Int? = nil, fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        memory = LargeMemory.allocate(byteCount: max(0, byteCount))
        self.unpackedCount = unpackedCount
        isCompressed = false
        (loan, read, unpacked) = (nil, nil, nil)
        // If this throws, `deinit` frees the memory: it runs because all properties are initialised.
        try fill(memory)
    }

    /// Bytes that the engine has compressed from `unpackedCount` others.
    package convenience init(
        compressedCount: Int, unpackedCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let memory = LargeMemory.allocate(byteCount: compressedCount)
        fill(memory)
        self.init(taking: memory, unpackedCount: unpackedCount, isCompressed: true)
    }

    /// `byteCount` bytes that `read` reads. For the slots of this process only.
    package init(deferred byteCount: Int, read: @escaping @Sendable () throws -> BulkBytes) {
        memory = LargeMemory.allocate(byteCount: 0)
        unpackedCount = byteCount
        isCompressed = false
        (loan, unpacked) = (nil, nil)
        self.read = read
    }

    /// Takes over filled memory of ``LargeMemory``, to which there must be no other reference.
    package init(
        taking memory: UnsafeMutableRawBufferPointer, unpackedCount: Int? = nil, isCompressed: Bool = false
    ) {
        self.memory = memory
        self.unpackedCount = unpackedCount
        self.isCompressed = isCompressed
        (loan, read, unpacked) = (nil, nil, nil)
    }

    /// The bytes of `owner`; `ended` is called, on any thread, when the last user has released this object.
    package init(lending owner: BulkBytes, ended: @escaping @Sendable () -> Void) {
        memory = owner.memory
        unpackedCount = owner.unpackedCount
        isCompressed = owner.isCompressed
        (read, unpacked) = (owner.read, owner.unpacked)
        loan = (owner, ended)
    }

    /// The packed bytes of `owner`. The slot of this process that unpacks them passes the result to `unpacked`.
    package init(packed owner: BulkBytes, unpacked: @escaping @Sendable (BulkBytes) -> Void) {
        memory = owner.memory
        (unpackedCount, isCompressed, read) = (owner.unpackedCount, owner.isCompressed, owner.read)
        self.unpacked = unpacked
        loan = (owner, {})
    }

    deinit {
        guard let ended = loan?.ended else { return LargeMemory.deallocate(memory) }
        // The owner is released first: `ended` may rely on that.
        loan = nil
        ended()
    }

    /// Calls `body` with the bytes. It may overwrite them if `isOnlyReference`, because there is no other reference to
    /// them.
    package static func withBytes<Result>(
        of bytes: inout BulkBytes, _ body: (UnsafeMutableRawBufferPointer, _ isOnlyReference: Bool) throws -> Result
    ) rethrows -> Result {
        // The owner has a reference to the same memory.
        let isOnlyReference = isKnownUniquelyReferenced(&bytes) && bytes.loan == nil
        return try withExtendedLifetime(bytes) { try body(bytes.memory, isOnlyReference) }
    }

    /// Number of bytes.
    public var count: Int { memory.count }

    /// Their checksum, computed by the first call: for bytes that are sent, and so not written any more.
    package func checksum(_ compute: (UnsafeRawBufferPointer) -> UInt64) -> UInt64 {
        let known = knownChecksum.load(ordering: .relaxed)
        if known != 0 { return known }
        let checksum = loan?.owner.checksum(compute) ?? withUnsafeBytes(compute)
        knownChecksum.store(checksum, ordering: .relaxed)
        return checksum
    }

    /// Reads the bytes; the pointer is valid only inside `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(memory)) }
    }
}

/// Identity of bulk bytes within a job, by which a system finds those that it keeps.
public struct BulkKey: Codable, Hashable, Sendable {
    /// The job, chosen at random.
    public var job: UInt64
    /// The bytes, within the job.
    public var index: UInt64

    /// The key of bulk bytes `index` of `job`.
    public init(job: UInt64, index: UInt64) {
        self.job = job
        self.index = index
    }
}

/// Where a task's bulk bytes come from: read only when an attempt needs them, so that a job never holds them all.
///
/// A class, since the sources of open tasks are copied often.
public final class BulkSource: Sendable {
    /// The key under which a node may keep the bytes for later tasks of the same job; nil if they are used once.
    public let key: BulkKey?
    /// Whether all other tasks of the job that have ``key`` are finished. A node then keeps the bytes no longer than
    /// this task takes, which may overwrite them: see ``ScanContext/takeBulk()``. If that is wrong, or the task has to
    /// be repeated, the bytes are sent once more.
    public let isLastUse: Bool
    /// By which a node may read the same bytes itself; nil if it cannot.
    public let reference: BulkReference?
    /// Number of bytes, before they are packed.
    public let byteCount: Int
    /// Number of bytes that are expected to be sent for them, which may be packed; ``byteCount`` if nothing is known.
    public let sentCount: Int
    /// Whether they are fetched from another system, so that the local system, too, has to wait for them.
    public let isRelayed: Bool
    /// Whether the bytes have a packed form.
    public let isPackable: Bool
    /// Keys of other bytes that a system must hold to unpack these from their stored form; nil if it needs none.
    public let needs: [BulkKey]?
    private let read: @Sendable (BulkPacking) async throws -> BulkBytes
    /// Bytes of one number of them: 1, 2, 4 or 8; other sizes count as nil. The engine then compresses them, without loss,
    /// for a node behind a link that is the bottleneck. Nil: it never does.
    public let numberSize: Int?

    /// A source of `byteCount` bytes, which `load` reads packed as asked, or as they are if that is not shorter.
    public init(
        key: BulkKey? = nil, isLastUse: Bool = false, reference: BulkReference? = nil, byteCount: Int,
        sentCount: Int? = nil, numberSize: Int? = nil, isRelayed: Bool = false, isPackable: Bool = true,
        needs: [BulkKey]? = nil, loadPacked load: @escaping @Sendable (BulkPacking) async throws -> BulkBytes
    ) {
        self.key = key
        self.isLastUse = isLastUse
        self.reference = reference
        self.byteCount = max(0, byteCount)
        self.sentCount = max(0, sentCount ?? byteCount)
        self.numberSize = numberSize.flatMap { [1, 2, 4, 8].contains($0) ? $0 : nil }
        self.isRelayed = isRelayed
        self.isPackable = isPackable
        self.needs = needs
        read = load
    }

    /// A source of `byteCount` bytes, which `load` reads and which have no packed form.
    public convenience init(
        key: BulkKey? = nil, isLastUse: Bool = false, reference: BulkReference? = nil, byteCount: Int,
        numberSize: Int? = nil, load: @escaping @Sendable () async throws -> BulkBytes
    ) {
        self.init(
            key: key, isLastUse: isLastUse, reference: reference, byteCount: byteCount, numberSize: numberSize,
            isPackable: false
        ) { _ in try await load() }
    }

    /// The same bytes, read by `load`.
    convenience init(_ source: BulkSource, load: @escaping @Sendable (BulkPacking) async throws -> BulkBytes) {
        self.init(
            key: source.key, isLastUse: source.isLastUse, reference: source.reference, byteCount: source.byteCount,
            sentCount: source.sentCount, numberSize: source.numberSize, isRelayed: source.isRelayed,
            isPackable: source.isPackable, needs: source.needs, loadPacked: load)
    }

    /// Reads the bytes, packed like this. Called for each attempt on a system that does not hold ``key``.
    public func load(_ packing: BulkPacking = .none) async throws -> BulkBytes { try await read(packing) }
}
