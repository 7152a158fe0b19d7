/// An event shown by the progress display. Work is measured in pixels, including halos and all passes.
package enum ProgressEvent: Equatable, Sendable {
    /// The number of files of a job with several files.
    case files(Int)
    /// The scan of an image begins: its pixels, and the work known in advance.
    case began(pixels: Int, work: Double)
    /// A file of a job was opened: the number of its images to scan, 0 if it cannot be read.
    case fileBegan(images: Int)
    /// An image of a job is finished or could not be scanned.
    case imageEnded
    /// The catalogues of a file are written, or the file cannot be scanned.
    case fileEnded(file: String, outputs: [String], errors: [String] = [], leftOut: String? = nil)
    /// A stage such as "background" begins.
    case stage(String)
    /// Further tasks and their work became known.
    case planned(tasks: Int, work: Double)
    /// A system has finished a task.
    case finished(work: Double, system: String)
    /// Results of tasks were read from the journal.
    case resumed(tasks: Int, work: Double)
    /// An attempt failed and is retried; `log` has lines of the node's log.
    case retried(reason: String, log: [String] = [])
    /// A task that is slow on one system was also started on another.
    case hedged(task: Int, slow: String, system: String)
    /// A task failed finally.
    case failed(work: Double, reason: String, log: [String] = [])
    /// A system joined, or its number of slots changed.
    case joined(system: String, slots: Int)
    case left(system: String)
}
