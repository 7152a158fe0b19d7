/// Output or failure of one scan task, with the system and the attempt that led to it.
///
/// Not `Codable`: the wire carries an output's bytes or a failure's text, and the seconds in the frame's header. The
/// coordinator has identity, system and attempt from its request.
public struct TaskResponse<Work: ScanTask>: Identifiable, Sendable {
    /// The task's identity.
    public var id: Work.ID
    /// The task's output, or why the scan threw.
    public var result: Result<Work.Output, TaskFailure>
    /// Name of the system that ran the attempt.
    public var system: String
    /// Number of this attempt at the task, from 1.
    public var attempt: Int
    /// Seconds the scan itself took on that system, without waits and transport.
    public var seconds: Double

    /// The response to attempt number `attempt` at the task `id`.
    public init(
        id: Work.ID, result: Result<Work.Output, TaskFailure>, system: String, attempt: Int, seconds: Double
    ) {
        self.id = id
        self.result = result
        self.system = system
        self.attempt = attempt
        self.seconds = seconds
    }

    /// The output.
    /// - Throws: ``TaskFailure`` if the scan threw.
    public func get() throws(TaskFailure) -> Work.Output { try result.get() }
}

/// Why a scan task could not be done: the last attempt's error in words, fit for a user.
public struct TaskFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// The cause, in one line.
    public var message: String
    /// Name of the system of the last attempt; empty if there was none.
    public var system: String
    /// Number of the last attempt; 0 if there was none.
    public var attempt: Int
    /// The last lines about the task in the log of the node that failed it last, each after the node's name once the
    /// run has given the task up.
    public var log: [String]

    /// A failure of attempt number `attempt` on `system`.
    public init(message: String, system: String, attempt: Int, log: [String] = []) {
        self.message = message
        self.system = system
        self.attempt = attempt
        self.log = log
    }

    /// The cause with node and attempt.
    public var description: String { attempt == 0 ? message : "\(message) (on \(system), attempt \(attempt))" }
}
