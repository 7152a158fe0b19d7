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
    /// Makes the task at an index below ``count``.
    let make: @Sendable (Int) -> Task

    func makeIterator() -> some IteratorProtocol<Task> { (0..<count).lazy.map(make).makeIterator() }
}
