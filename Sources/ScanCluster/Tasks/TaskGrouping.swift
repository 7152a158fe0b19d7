/// A task that stands for several.
protocol TaskGrouping {
    /// Number of tasks, at least 1.
    var count: Int { get }
}
