internal import ScanCluster

/// A scan task on the pixels of a window.
protocol WindowTask: ScanTask {
    /// What its bulk bytes hold.
    var window: WindowPixels { get }
}

/// The tasks of a step, each made when it is needed: they carry backgrounds, which need not all be held.
struct StepTasks<Task: WindowTask>: Sequence, Sendable {
    /// Number of tasks.
    let count: Int
    /// Identity of the task at an index below ``count``.
    var id: @Sendable (Int) -> Int = { $0 }
    /// What the task at an index works on, for the journal: see ``TaskKey/window``.
    let key: @Sendable (Int) throws -> UInt64
    /// Makes the task at an index below ``count``.
    let make: @Sendable (Int) -> Task

    func makeIterator() -> some IteratorProtocol<Task> { (0..<count).lazy.map(make).makeIterator() }

    /// Those at `indices`.
    func selecting(_ indices: [Int]) -> StepTasks {
        if indices.count == count { return self }
        return StepTasks(
            count: indices.count, id: { id(indices[$0]) }, key: { try key(indices[$0]) }, make: { make(indices[$0]) })
    }
}
