public import ScanCluster
public import SkyFITS

/// An event of a sky scan, for a progress display and a log.
public enum SkyScanEvent: Equatable, Sendable {
    /// A step, or a further round of it, begins with `tasks` tasks of `cost` pixels in total.
    case began(ScanStep, tasks: Int, cost: Double)
    /// So many of the step's tasks, of `cost` pixels in total, need not run: the journal holds their results.
    case resumed(ScanStep, tasks: Int, cost: Double)
    /// The tasks of the step, or of this round of it, work on these pixels. Systems process those in `waiting`, and
    /// events refer to them by index in it; the results of those in `resumed` come from the journal.
    case sectors(ScanStep, waiting: [PixelRect], resumed: [PixelRect])
    /// A result of the step, new or from the journal, has sources at these columns and rows. Cleaning may still remove
    /// some.
    case found(ScanStep, x: [Double], y: [Double])
    /// An event of the tasks of a step.
    case job(ScanStep, TaskEvent)
}
