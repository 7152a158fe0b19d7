public import SkyImage

/// One attempt at a task.
public struct Attempt: Equatable, Sendable {
    /// How an attempt ended.
    public enum Outcome: String, Codable, Sendable {
        /// It is under way.
        case running
        /// It gave the task's output.
        case done
        /// It came to nothing, and the task was tried again.
        case retried
        /// Its system was lost, and the task was tried again.
        case lost
        /// Its system left in order and gave the task back.
        case returned
        /// Another attempt was faster, or the scan ended.
        case superseded
        /// It was the last one: the task was given up.
        case failed
    }

    /// What the task is part of.
    public let step: String
    /// The task's place in its step, from 0.
    public let task: Int
    /// Number of the attempt at the task, from 1.
    public let number: Int
    /// Index of the system in ``ScanTimeline/systems``.
    public let system: Int
    /// Whether another attempt at the task was under way.
    public let isHedge: Bool
    /// Pixels that the task works on.
    public let sector: PixelRect?
    /// The work, in pixels.
    public let cost: Double
    /// When it was handed to its system.
    public let start: Double
    /// When it ended.
    public internal(set) var end: Double?
    /// Seconds of scanning before its end; nil if nothing came of it.
    public internal(set) var seconds: Double?
    /// How it ended.
    public internal(set) var outcome = Outcome.running
    /// Why it came to nothing.
    public internal(set) var reason: String?

    init(
        step: String, task: Int, number: Int, system: Int, isHedge: Bool, sector: PixelRect?, cost: Double,
        start: Double
    ) {
        (self.step, self.task, self.number, self.system) = (step, task, number, system)
        (self.isHedge, self.sector, self.cost, self.start) = (isHedge, sector, cost, start)
    }
}
