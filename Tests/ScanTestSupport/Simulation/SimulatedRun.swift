import ScanCluster
import ScanNetwork

/// A task that a simulated node has accepted.
final class SimulatedRun: SessionTask, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    /// The connection that brought it.
    let connection: Int
    let request: UInt64
    let attempt: UInt32
    let task: SimulatedTask
    let grant: TaskGrant
    /// Its number among all runs of the node.
    let serial: Int
    var seconds = 0.0
    var result: CodedResult?
    private(set) var readBulk: BulkBytes?

    init(_ frame: TaskFrame, _ task: SimulatedTask, grant: TaskGrant, connection: Int, serial: Int) {
        self.connection = connection
        self.task = task
        self.grant = grant
        self.serial = serial
        request = frame.request
        attempt = frame.attempt
    }

    var scannerName: String { SimulatedTask.scanner }

    /// The bulk bytes; if the task refers to them, they are read first.
    /// - Throws: why they cannot be read.
    func bulk(by resolver: some BulkResolver) throws -> BulkBytes? {
        guard grant.bulk == nil, let referred = grant.referred else { return grant.bulk }
        let bytes = try referred.read(by: resolver)
        readBulk = bytes
        return bytes
    }
}

/// The files of a simulated node, of which the bulk bytes are a part.
struct SimulatedFiles: BulkResolver {
    enum State: CaseIterable {
        // swift-format-ignore
        case present, missing, changed
    }

    let state: State

    func bytes(of reference: BulkReference, count: Int) throws -> BulkBytes {
        if state == .missing { throw SimulatedFault("no such file") }
        let change: UInt8 = state == .changed ? 1 : 0
        return BulkBytes(byteCount: count) { $0[0] = (reference.part.first ?? 0) &+ change }
    }
}
