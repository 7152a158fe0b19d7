import ScanCluster

/// A task that a node has taken: one object all the way from its frame through a scan thread to its answer.
final class NodeTask: ScanWork, @unchecked Sendable {
    // Sendable: what changes is touched by one thread at a time. The loop hands the task to a scan thread, and that hands
    // it back, each through a lock.

    let session: NodeSession
    let request: UInt64
    /// Number of the attempt, from 1.
    let attempt: UInt32
    let scanner: Scanners.Scanner
    /// Bytes of bulk that came with it, or that it refers to.
    let bulkBytes: Int
    /// Bytes of bulk that the node has kept up to now, and that are this task's alone.
    let lentBytes: Int
    /// Whether the node keeps the bytes of bulk that came with it.
    let isBulkKept: Bool
    /// Under which later tasks may want the bytes; nil if none will.
    private let key: BulkKey?
    /// What the scan needs, and is let go with it.
    private var coded: [UInt8]
    private var bulk: BulkBytes?
    private let referred: ReferredBulk?
    private let cancellation = ScanCancellation()

    /// Nil if it was not scanned.
    private(set) var outcome: Scanners.Outcome?
    /// Time that the scan took.
    private(set) var seconds = 0.0
    /// Bytes to which it referred, under their key.
    private(set) var found: (key: BulkKey, bytes: BulkBytes)?

    /// A task that `frame` brought; its `bulk` bytes are here, or else to be read.
    init(
        _ frame: TaskFrame, of session: NodeSession, scanner: Scanners.Scanner, bulk: BulkBytes?,
        referred: ReferredBulk?, bulkBytes: Int, lentBytes: Int, isKept: Bool
    ) {
        self.session = session
        self.scanner = scanner
        self.bulk = bulk
        self.referred = referred
        self.bulkBytes = bulkBytes
        self.lentBytes = lentBytes
        isBulkKept = isKept
        request = frame.request
        attempt = frame.attempt
        coded = [UInt8](frame.task)
        key = frame.isLastUse ? nil : frame.key
    }

    /// Nobody waits for it any more.
    func cancel() { cancellation.cancel() }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Whether it was scanned.
    var isDone: Bool {
        switch outcome {
        case .output, .failure: true
        case .elsewhere, nil: false
        }
    }

    func scan() {
        do {
            // The context alone holds bytes that the node does not keep.
            let context = ScanContext(bulk: try takeBulk() ?? read(), cancellation: cancellation)
            (outcome, seconds) = scanner.run(coded, context, session.server.loop)
        } catch {
            outcome = .elsewhere("\(error)")
        }
        finish()
    }

    func skip() { finish() }

    private func finish() {
        // On this thread: to give back as much as a band takes would hold up the loop.
        (coded, bulk) = ([], nil)
        session.server.finish(self)
    }

    private func takeBulk() -> BulkBytes? {
        defer { bulk = nil }
        return bulk
    }

    /// Reads the bytes to which the task refers.
    private func read() throws -> BulkBytes? {
        guard let referred, let resolver = session.server.resolver else { return nil }
        let bytes = try referred.read(by: resolver)
        found = key.map { ($0, bytes) }
        return bytes
    }
}
