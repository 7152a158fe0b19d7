import ScanCluster
import Synchronization

/// Adds a number to the sum of the bulk bytes.
struct SumTask: ScanTask {
    static let typeName = "test.sum/1"
    var id: Int
    var number: Int

    func scan(_ context: ScanContext) throws -> Int {
        let bulk = context.bulk?.withUnsafeBytes(byteSum) ?? 0
        if number < 0 { throw NegativeNumber(number: number) }
        return number + bulk
    }
}

struct NegativeNumber: Error, CustomStringConvertible {
    var number: Int
    var description: String { "\(number) is negative" }
}

/// Returns how many bulk bytes came, without reading them all.
struct CountTask: ScanTask {
    static let typeName = "test.count/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { context.bulk?.count ?? 0 }
}

/// Waits at a gate and checks its bulk bytes. Returns whether it has the only reference to them; if so, overwrites
/// them.
struct OverwriteTask: ScanTask {
    static let typeName = "test.overwrite/1"
    var id: Int
    var gate: Int?

    func scan(_ context: ScanContext) throws -> Bool {
        guard var bytes = context.takeBulk() else { throw NegativeNumber(number: -1) }
        return try BulkBytes.withBytes(of: &bytes) { bytes, isOnlyReference in
            if let gate { _ = try GateTask(id: id, gate: gate).scan(context) }
            guard bytes.allSatisfy({ $0 == 1 }) else { throw NegativeNumber(number: -2) }
            if isOnlyReference { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
            return isOnlyReference
        }
    }
}

/// Holds its slot until it is cancelled or its gate opens.
struct GateTask: ScanTask {
    static let typeName = "test.gate/1"
    var id: Int
    var gate: Int

    func scan(_ context: ScanContext) throws -> Bool {
        Gate.entered(gate)
        while !Gate.isOpen(gate) {
            if context.isCancelled {
                Gate.cancelled(gate)
                throw CancellationError()
            }
            Gate.pause()
        }
        return true
    }
}

/// Needs tags, and returns its number.
struct TaggedTask: ScanTask {
    static let typeName = "test.tagged/1"
    var id: Int
    var tags: Set<String>

    var requiredTags: Set<String> { tags }

    func scan(_ context: ScanContext) throws -> Int { id }
}

/// A type that no node in these tests knows.
struct UnknownTask: ScanTask {
    static let typeName = "test.unknown/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { 0 }
}

/// Sum of bytes, fast enough without optimisation: one in 4099 of a large buffer.
func byteSum(_ bytes: UnsafeRawBufferPointer) -> Int {
    var sum = 0
    var index = 0
    while index < bytes.count {
        sum += Int(bytes[index])
        index += bytes.count > 100_000 ? 4099 : 1
    }
    return sum
}
