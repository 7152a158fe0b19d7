package import ScanCluster

/// A scan task on the pixels of a window.
package protocol WindowTask: ScanTask {
    /// Layout of its bulk bytes.
    var window: WindowPixels { get }
}

extension WindowTask {
    /// Pixels that one slot scans in a second on an ordinary processor.
    package static var assumedCostPerSecond: Double? { 40e6 }
}

/// The tasks of a step, created on demand: they carry backgrounds, which need not all be in memory.
package struct StepTasks<Task: WindowTask>: Sequence, Sendable {
    let count: Int
    var id: @Sendable (Int) -> Int = { $0 }
    /// Identifies the work of the task at an index, for the journal: see ``TaskKey/window``.
    let key: @Sendable (Int) throws -> UInt64
    /// Makes the task at an index below ``count``.
    let make: @Sendable (Int) -> Task

    package func makeIterator() -> some IteratorProtocol<Task> { (0..<count).lazy.map(make).makeIterator() }

    /// The tasks at `indices`.
    func selecting(_ indices: [Int]) -> StepTasks {
        if indices.count == count { return self }
        return StepTasks(
            count: indices.count, id: { id(indices[$0]) }, key: { try key(indices[$0]) }, make: { make(indices[$0]) })
    }
}
