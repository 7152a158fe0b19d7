import ScanCluster
import Synchronization
import ScanCompression

/// A task that a node has taken: one object from its frame through a scan thread to its answer.
final class NodeTask: ScanWork, SessionTask, @unchecked Sendable {
    // Sendable: what changes is touched by one thread at a time. The loop hands the task to a scan thread, and that hands
    // it back, each through a lock.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    let session: NodeSession
    let request: UInt64
    let attempt: UInt32
    let scanner: Scanners.Scanner
    @exclusivity(unchecked) private(set) var grant: TaskGrant
    /// The encoded task; released with the scan.
    private var coded: [UInt8]
    private let cancellation = ScanCancellation()
    private let begun = Atomic<Bool>(false)

    @exclusivity(unchecked) private(set) var result: CodedResult?
    @exclusivity(unchecked) private(set) var seconds = 0.0
    @exclusivity(unchecked) private(set) var readBulk: BulkBytes?
    /// Checksum of the bulk bytes that were read without one; nil if none were.
    @exclusivity(unchecked) private(set) var readChecksum: UInt64?

    /// A task that arrived in `frame`.
    init(_ frame: TaskFrame, of session: NodeSession, scanner: Scanners.Scanner, grant: TaskGrant) {
        self.session = session
        self.scanner = scanner
        self.grant = grant
        request = frame.request
        weight = session.weight
        attempt = frame.attempt
        coded = [UInt8](frame.task)
    }

    /// Coordinators share the slots, each with one connection.
    var owner: Int { session.id }

    let weight: Double

    var scannerName: String { scanner.name }

    func cancel() { cancellation.cancel() }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Whether its scan has begun.
    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    /// Whether it was scanned.
    var isDone: Bool {
        switch result {
        case .output, .failure: true
        case .bulkElsewhere, nil: false
        }
    }

    func scan() {
        begun.store(true, ordering: .relaxed)
        do {
            // Only the context refers to bytes that the node does not keep.
            let context = ScanContext(bulk: try bulkBytes(), cancellation: cancellation)
            (result, seconds) = scanner.run(coded, context, session.server.loop)
        } catch {
            result = .bulkElsewhere("\(error)")
        }
        finish()
    }

    func skip() { finish() }

    private func finish() {
        // Freed on this thread: unmapping the memory of a band would delay the loop.
        coded = []
        grant.releaseBulk()
        session.server.finish(self)
    }

    private func takeBulk() -> BulkBytes? {
        let bytes = grant.bulk
        if bytes != nil { grant.releaseBulk() }
        return bytes
    }

    /// The bytes for the scan: those that came with the task, or those that it refers to, unpacked or expanded.
    private func bulkBytes() throws -> BulkBytes? {
        guard let bytes = try takeBulk() ?? read() else { return nil }
        guard let count = bytes.unpackedCount else { return bytes }
        let plain = try bytes.isCompressed ? BulkCompression.expand(bytes, to: count) : unpack(bytes, to: count)
        if grant.key != nil { readBulk = plain }
        return plain
    }

    private func unpack(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes {
        guard let unpacker = session.server.scanners.unpacker else { throw NoUnpacker() }
        return try unpacker.unpack(bytes, to: count)
    }

    /// Reads the bytes to which the task refers.
    private func read() throws -> BulkBytes? {
        guard let referred = grant.referred, let resolver = session.server.resolver else { return nil }
        let bytes = try ScanCancellation.$current.withValue(cancellation) { try referred.read(by: resolver) }
        if referred.checksum == nil { readChecksum = bytes.withUnsafeBytes(checksum) }
        if grant.key != nil { readBulk = bytes }
        return bytes
    }

    private struct NoUnpacker: Error, CustomStringConvertible {
        let description = "this node unpacks no bulk bytes"
    }
}
