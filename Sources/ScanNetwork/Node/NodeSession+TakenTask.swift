import ScanSlots
import ScanCluster
import Synchronization
import ScanCompression

extension NodeSession {
    /// A task that a node has taken: one object from its frame through a scan thread to its answer.
    final class TakenTask: ScanSystem.SlotTask, SessionTask, @unchecked Sendable {
        // Sendable: what changes is touched by one thread at a time. The loop hands the task to a scan thread, and that
        // hands it back, each through a lock.
        // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

        let session: NodeSession
        let request: UInt64
        let identity: TaskFrame.Identity
        let taskType: TaskTypes.Entry
        @exclusivity(unchecked) private(set) var grant: TaskGrant
        /// The encoded task; released with the scan.
        private var coded: [UInt8]
        let cancellation = ScanCancellation()
        private let begun = Atomic<Bool>(false)
        /// Its needs, and its context meanwhile, once it was found to be large.
        @exclusivity(unchecked) private(set) var needs: SlotNeeds?
        @exclusivity(unchecked) private(set) var postponed: ScanContext?

        @exclusivity(unchecked) private(set) var result: CodedResult?
        @exclusivity(unchecked) var seconds = 0.0
        @exclusivity(unchecked) private(set) var readBulk: BulkBytes?
        /// Checksum of the bulk bytes that were read without one; nil if none were.
        @exclusivity(unchecked) private(set) var readChecksum: UInt64?

        /// A task that arrived in `frame`.
        init(_ frame: TaskFrame, of session: NodeSession, taskType: TaskTypes.Entry, grant: TaskGrant) {
            self.session = session
            self.taskType = taskType
            self.grant = grant
            request = frame.request
            weight = session.weight
            identity = frame.identity
            coded = [UInt8](frame.task)
        }

        /// Coordinators share the slots, each with one connection.
        var owner: Int { session.id }

        let weight: Double

        var typeName: String { taskType.name }

        var clock: any ScanClock { session.server.loop }

        func cancel() {
            cancellation.cancel()
            session.server.system.recheckRoom()
        }

        /// Whether its scan has begun.
        var hasBegun: Bool { begun.load(ordering: .relaxed) }

        /// Whether it was scanned.
        var isDone: Bool {
            switch result {
            case .output, .failure: true
            case .bulkElsewhere, nil: false
            }
        }

        func begin() { begun.store(true, ordering: .relaxed) }

        func takeBulk() throws -> BulkBytes? {
            if let bytes = grant.bulk {
                grant.releaseBulk()
                return bytes
            }
            guard let referred = grant.referred, let resolver = session.server.resolver else { return nil }
            let bytes = try ScanCancellation.$current.withValue(cancellation) { try referred.read(by: resolver) }
            if referred.checksum == nil { readChecksum = bytes.withUnsafeBytes(checksum) }
            keep(bytes)
            return bytes
        }

        func unpack(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes {
            let plain: BulkBytes
            if bytes.isCompressed {
                plain = try BulkCompression.expand(bytes, to: count)
            } else if let unpacker = session.server.taskTypes.unpacker {
                plain = try unpacker.unpack(bytes, to: count)
            } else {
                throw NoUnpacker()
            }
            keep(plain)
            return plain
        }

        /// Later tasks may need these bytes.
        private func keep(_ bytes: BulkBytes) { if grant.key != nil { readBulk = bytes } }

        func run(_ context: ScanContext) -> Bool {
            postponed = nil
            switch taskType.run(coded, context, clock, needs != nil) {
            case .done(let result, let seconds):
                self.result = result
                self.seconds += seconds
            case .large(let needs):
                if let obstacle = session.server.system.obstacle(to: needs) {
                    result = .failure(obstacle)
                    break
                }
                (self.needs, postponed) = (needs, context)
                begun.store(false, ordering: .relaxed)
                return false
            }
            return true
        }

        func report(_ report: TaskReport) {
            guard session.takesReports else { return }
            session.reports.add(report, of: request, clock: clock) { [weak session] in session?.send($0) }
        }

        func lacksBulk(because reason: any Error) { result = .bulkElsewhere("\(reason)") }

        func leave() {
            // Freed on this thread: unmapping the memory of a band would delay the loop.
            (coded, postponed) = ([], nil)
            grant.releaseBulk()
            session.server.system.left(self)
        }

        func ended(on system: isolated ScanSystem) { session.ended(self) }

        private struct NoUnpacker: Error, CustomStringConvertible {
            let description = "this node unpacks no bulk bytes"
        }
    }
}
