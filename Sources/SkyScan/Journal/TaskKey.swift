/// Identity of a task within a job, which stays the same when the job is resumed.
package struct TaskKey: Hashable, Sendable {
    /// The step of the task.
    package var step: ScanStep
    /// Checksum of the input, other than the image and its window, on which the output depends: the background and,
    /// after pass 1, the plan of bands. If the background of a band is missing, the basis differs, so that results are
    /// never combined with those of a complete background.
    package var basis: UInt64
    /// Index of the band, or the checksum of the window and of the islands or sources to process in it.
    package var window: UInt64

    package init(step: ScanStep, basis: UInt64, window: UInt64) {
        (self.step, self.basis, self.window) = (step, basis, window)
    }
}
