public import SkyFITS

/// An attempt at a task on one system.
public struct Attempt: Equatable, Sendable {
    /// The state or result of an attempt.
    public enum Outcome: String, Encodable, Sendable {
        /// The attempt is running.
        case running
        /// The attempt returned the task's result.
        case done
        /// The attempt failed, and the task was retried.
        case retried
        /// The system disconnected, and the task was retried.
        case lost
        /// The system was draining and returned the task.
        case returned
        /// Another attempt was faster, or the scan ended.
        case superseded
        /// The last attempt failed, and with it the task.
        case failed
    }

    /// The step to which the task belongs.
    public let step: String
    /// Index of the task in its round.
    public let task: Int
    /// Number of the attempt at the task, from 1.
    public let number: Int
    /// Index of the system in ``ScanTimeline/systems``.
    public let system: Int
    /// Whether another attempt at the task was running when this one began.
    public let isHedge: Bool
    /// The pixels that the task processes; nil if unknown.
    public let sector: PixelRect?
    /// Amount of work in pixels.
    public let cost: Double
    /// Time at which the attempt was sent to its system, in seconds since the scan began.
    public let start: Double
    /// Time of the end, in seconds since the scan began; nil while it is running.
    public internal(set) var end: Double?
    /// Execution time in seconds; nil unless the attempt succeeded.
    public internal(set) var seconds: Double?
    /// The state of a running attempt, or its result.
    public internal(set) var outcome = Outcome.running
    /// The reason of a failure.
    public internal(set) var reason: String?

    init(
        step: String, task: Int, number: Int, system: Int, isHedge: Bool, sector: PixelRect?, cost: Double,
        start: Double
    ) {
        (self.step, self.task, self.number, self.system) = (step, task, number, system)
        (self.isHedge, self.sector, self.cost, self.start) = (isHedge, sector, cost, start)
    }
}
