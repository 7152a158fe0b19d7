/// Identity of a task within a job, the same each time the job is resumed.
package struct TaskKey: Hashable, Sendable {
    /// The step of the task.
    package var step: ScanStep
    /// Checksum of the input on which the task's output depends besides the image and its window: the background and,
    /// after pass 1, the plan of bands. If the background of a band is missing, the basis differs, so that results are never combined with those of a complete
    /// background.
    package var basis: UInt64
    /// The band's index, or the checksum of the window and of the islands or sources to process in it.
    package var window: UInt64
}
