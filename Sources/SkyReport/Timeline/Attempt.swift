public import SkyFITS

/// One attempt at a task.
public struct Attempt: Equatable, Sendable {
    /// How an attempt ended.
    public enum Outcome: String, Encodable, Sendable {
        /// It is running.
        case running
        /// It returned the task's result.
        case done
        /// It failed, and the task was tried again.
        case retried
        /// Its system disconnected, and the task was tried again.
        case lost
        /// Its system drained and returned the task.
        case returned
        /// Another attempt was faster, or the scan ended.
        case superseded
        /// It was the last attempt; the task failed.
        case failed
    }

    /// The step that the task belongs to.
    public let step: String
    /// Index of the task in its round.
    public let task: Int
    /// Number of the attempt at the task, from 1.
    public let number: Int
    /// Index of the system in ``ScanTimeline/systems``.
    public let system: Int
    /// Whether another attempt at the task was running.
    public let isHedge: Bool
    /// Pixels that the task works on.
    public let sector: PixelRect?
    /// The work, in pixels.
    public let cost: Double
    /// When it was handed to its system, in seconds since the scan began.
    public let start: Double
    /// When it ended, in seconds since the scan began.
    public internal(set) var end: Double?
    /// Seconds of execution before its end; nil unless it succeeded.
    public internal(set) var seconds: Double?
    /// How it ended.
    public internal(set) var outcome = Outcome.running
    /// Why it failed.
    public internal(set) var reason: String?

    init(
        step: String, task: Int, number: Int, system: Int, isHedge: Bool, sector: PixelRect?, cost: Double,
        start: Double
    ) {
        (self.step, self.task, self.number, self.system) = (step, task, number, system)
        (self.isHedge, self.sector, self.cost, self.start) = (isHedge, sector, cost, start)
    }
}
