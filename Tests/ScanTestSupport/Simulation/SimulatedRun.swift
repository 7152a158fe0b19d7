import ScanCluster
import ScanNetwork
import ScanSlots

/// A task that a simulated node has accepted.
final class SimulatedRun: SessionTask, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    /// The connection that brought it.
    let connection: Int
    let request: UInt64
    let identity: TaskFrame.Identity
    let task: SimulatedTask
    let grant: TaskGrant
    /// Its number among all runs of the node.
    let serial: Int
    var seconds = 0.0
    var result: CodedResult?
    private(set) var readBulk: BulkBytes?
    var isCancelled = false
    /// Whether its needs are known: a node decodes a task when it begins.
    var isDecoded = false

    init(_ frame: TaskFrame, _ task: SimulatedTask, grant: TaskGrant, connection: Int, serial: Int) {
        self.connection = connection
        self.task = task
        self.grant = grant
        self.serial = serial
        request = frame.request
        identity = frame.identity
    }

    var needs: SlotNeeds { SlotNeeds(slots: task.slots, memory: task.requiredMemory) }

    var typeName: String { SimulatedTask.typeName }

    /// The bulk bytes; if the task refers to them, they are read first.
    /// - Throws: why they cannot be read.
    func bulk(by resolver: some BulkResolver, _ unpacker: some BulkUnpacker) throws -> BulkBytes? {
        guard let bytes = try grant.bulk ?? grant.referred?.read(by: resolver) else { return nil }
        guard let count = bytes.unpackedCount else {
            if grant.bulk == nil { readBulk = bytes }
            return bytes
        }
        let unpacked = try unpacker.unpack(bytes, to: count)
        readBulk = unpacked
        return unpacked
    }
}

/// The files of a simulated node, of which the bulk bytes are a part.
struct SimulatedFiles: BulkResolver {
    enum State: CaseIterable {
        // swift-format-ignore
        case present, missing, changed
    }

    let state: State

    func bytes(of reference: BulkReference, count: Int, unpackedCount: Int?) throws -> BulkBytes {
        if state == .missing { throw SimulatedFault("no such file") }
        let byte = (reference.part.first ?? 0) &+ (state == .changed ? 1 : 0)
        if unpackedCount != nil { return SimulatedUnpacker.packed(byte) }
        return BulkBytes(byteCount: count) { $0[0] = byte }
    }
}

/// A packed form that is as long as the bytes, but not equal to them.
struct SimulatedUnpacker: BulkUnpacker {
    static let form = "simulation.inverse/1"

    /// Whether it unpacks nothing.
    let isBroken: Bool
    var form: String { Self.form }

    static func packed(_ byte: UInt8) -> BulkBytes { BulkBytes(byteCount: 1, unpackedCount: 1) { $0[0] = ~byte } }

    func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes {
        if isBroken { throw SimulatedFault("cannot unpack") }
        return packed.withUnsafeBytes { bytes in BulkBytes(byteCount: unpackedCount) { $0[0] = ~bytes[0] } }
    }
}
