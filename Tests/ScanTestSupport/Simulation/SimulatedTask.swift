internal import ScanBasics
package import ScanCluster

/// A task of a simulated job: its output follows from its identity.
package struct SimulatedTask: ScanTask {
    package static let typeName = "simulation.task/1"
    package var id: Int
    package var cost: Double
    /// It throws wherever it runs.
    var isPoisoned: Bool
    /// Bulk bytes that several tasks share; nil for none.
    var band: UInt64?
    package var slots = 1
    package var requiredMemory = 0

    /// The right output.
    var output: UInt64 {
        var random = SplitMix64(seed: UInt64(id))
        return random.next()
    }

    /// The right bulk bytes: one; nil if there are none.
    var bulkByte: UInt8? { band.map { UInt8(truncatingIfNeeded: UInt64(id >> 32) &* 100 &+ $0) } }

    package func scan(_ context: ScanContext) throws -> UInt64 {
        if isPoisoned { throw SimulatedFault("poisoned") }
        if band != nil, context.bulk == nil { throw SimulatedFault("its bytes are missing") }
        return output
    }

    package func validate(_ output: UInt64) throws {
        if output != self.output { throw SimulatedFault("another output was expected") }
    }
}

/// A fault that a simulation injects.
struct SimulatedFault: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
