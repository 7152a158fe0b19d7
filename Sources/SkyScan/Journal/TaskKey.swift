/// Identity of a task within a job, the same in every run of it.
struct TaskKey: Hashable, Sendable {
    /// The step of the task.
    var step: ScanStep
    /// Checksum of the inputs that the task's output depends on besides the image and its window: the background. A run
    /// in which a band's background was missing has another basis, and its results must not mix with those of a
    /// complete run.
    var basis: UInt64
    /// The band's index, or the checksum of the window and of the islands or sources to process in it.
    var window: UInt64
}
