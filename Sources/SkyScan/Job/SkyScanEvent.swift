public import ScanCluster
public import SkyImage

/// An event of a sky scan, for a progress display and a log.
public enum SkyScanEvent: Equatable, Sendable {
    /// A step, or a further round of it, begins with `tasks` tasks of `cost` pixels in total.
    case began(ScanStep, tasks: Int, cost: Double)
    /// An earlier run did that number of the step's tasks, of `cost` in total: their results are in the journal.
    case resumed(ScanStep, tasks: Int, cost: Double)
    /// The tasks of the step, or of this round of it, work on these pixels. Systems process those in `waiting`, and
    /// events refer to them by index in it; the results of those in `resumed` come from an earlier run.
    case sectors(ScanStep, waiting: [PixelRect], resumed: [PixelRect])
    /// A task of the step, in this or an earlier run, found sources at these columns and rows. Cleaning may still
    /// remove some.
    case found(ScanStep, x: [Double], y: [Double])
    /// An event of the tasks of a step.
    case job(ScanStep, TaskEvent)
}
