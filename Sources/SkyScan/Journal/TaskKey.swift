/// Identity of a task within a job, the same in every run of it.
struct TaskKey: Hashable, Sendable {
    /// The step the task belongs to.
    var step: ScanStep
    /// Checksum of what the task's numbers depend on besides the image and its window: the background. A run in which
    /// a band could not be measured has another one, and its results must not meet those of a complete run.
    var basis: UInt64
    /// The band's index, or the checksum of the window with what is looked for in it.
    var window: UInt64
}
