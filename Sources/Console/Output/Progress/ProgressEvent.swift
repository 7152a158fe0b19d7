/// An event that progress shows. Work is counted in pixels, with halos and all passes.
package enum ProgressEvent: Equatable, Sendable {
    /// The number of files of a job of many.
    case files(Int)
    /// The scan of an image begins: its pixels, and the work known in advance.
    case began(pixels: Int, work: Double)
    /// The images of a file of many that are to be scanned are known; none if it cannot be read.
    case fileBegan(images: Int)
    /// An image of many is done, or could not be scanned.
    case imageEnded
    /// The catalogues of a file are written, or it cannot be scanned.
    case fileEnded(file: String, outputs: [String], errors: [String] = [])
    /// A stage such as "background" begins.
    case stage(String)
    /// Further tasks are known.
    case planned(tasks: Int, work: Double)
    /// A system has done a task.
    case finished(work: Double, system: String)
    /// The results of tasks come from the journal.
    case resumed(tasks: Int, work: Double)
    /// An attempt failed and is retried; `log` holds lines of the node's log.
    case retried(reason: String, log: [String] = [])
    /// A task that is slow on one system was started on another as well.
    case hedged(task: Int, slow: String, system: String)
    /// A task was given up.
    case failed(work: Double, reason: String, log: [String] = [])
    /// A system joined, or its number of slots changed.
    case joined(system: String, slots: Int)
    case left(system: String)
}
