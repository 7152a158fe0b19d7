/// What happens in a job, as far as it is shown. Work is counted as the engine does, in pixels with halos and all passes.
enum ProgressEvent: Equatable, Sendable {
    /// What the job is about: so many pixels, and so much work as is known before it begins.
    case began(pixels: Int, work: Double)
    /// A stage of the job begins, such as "background".
    case stage(String)
    /// More tasks are known.
    case planned(tasks: Int, work: Double)
    /// A task was done, by this system.
    case finished(work: Double, system: String)
    /// An earlier run of the job did these.
    case resumed(tasks: Int, work: Double)
    /// An attempt came to nothing; `log` is what the node's log has to say.
    case retried(reason: String, log: [String] = [])
    /// A task that takes longer than expected on one system is tried by another as well.
    case hedged(task: Int, slow: String, system: String)
    /// A task was given up; its work is no longer waited for.
    case failed(work: Double, reason: String, log: [String] = [])
    /// A system takes part, or has another number of slots now.
    case joined(system: String, slots: Int)
    case left(system: String)
}
