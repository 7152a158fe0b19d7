public import ScanCluster
public import SkyImage

/// What happens in a sky scan, for a progress display and a log.
public enum SkyScanEvent: Equatable, Sendable {
    /// A step, or a further round of it, begins with `tasks` tasks of `cost` pixels' work in all.
    case began(ScanStep, tasks: Int, cost: Double)
    /// So many of the step's tasks, of `cost` in all, were done by an earlier run: their results are in the journal.
    case resumed(ScanStep, tasks: Int, cost: Double)
    /// The tasks of the step, or of this round of it, work on these pixels: `waiting` are farmed out, and events name them
    /// by their place there; of `resumed` an earlier run left the results.
    case sectors(ScanStep, waiting: [PixelRect], resumed: [PixelRect])
    /// A task of the step, now or in an earlier run, found sources at these columns and rows. Cleaning may still take
    /// some away.
    case found(ScanStep, x: [Double], y: [Double])
    /// Something happens to the tasks of a step.
    case job(ScanStep, TaskEvent)
}
