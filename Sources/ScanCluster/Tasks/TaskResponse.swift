/// Output or failure of one scan task, with the system and the attempt that led to it.
///
/// It is what a node answers. The wire carries it in a form of its own, since hundreds of thousands of small ones pass in a
/// second: in the frame's header the attempt, the seconds, and for the identity a checksum of the whole coded task; then
/// the output or the failure. The coordinator compares identity and attempt with its request. Elsewhere, as in a file, its
/// coded form is a list of six values.
public struct TaskResponse<Work: ScanTask>: Identifiable, Sendable {
    /// The task's identity.
    public var id: Work.ID
    /// The task's place in its run, from 0, by which the events of the run name it, too.
    public var index: Int
    /// The task's output, or why the scan threw.
    public var result: Result<Work.Output, TaskFailure>
    /// Name of the system that ran the attempt.
    public var system: String
    /// Number of this attempt at the task, from 1.
    public var attempt: Int
    /// Seconds the scan itself took on that system, without waits and transport.
    public var seconds: Double

    /// The response to attempt number `attempt` at the task `id`, which has the place `index` in its run.
    public init(
        id: Work.ID, index: Int = 0, result: Result<Work.Output, TaskFailure>, system: String, attempt: Int,
        seconds: Double
    ) {
        self.id = id
        self.index = index
        self.result = result
        self.system = system
        self.attempt = attempt
        self.seconds = seconds
    }

    /// The output.
    /// - Throws: ``TaskFailure`` if the scan threw.
    public func get() throws(TaskFailure) -> Work.Output { try result.get() }
}

extension TaskResponse: Codable {
    /// Decodes identity, place, attempt, system, seconds and result.
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        id = try values.decode(Work.ID.self)
        index = try values.decode(Int.self)
        attempt = try values.decode(Int.self)
        system = try values.decode(String.self)
        seconds = try values.decode(Double.self)
        result =
            try values.decode(Bool.self)
            ? .success(try values.decode(Work.Output.self)) : .failure(try values.decode(TaskFailure.self))
    }

    /// Encodes them, the result after whether it is an output.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(id)
        try values.encode(index)
        try values.encode(attempt)
        try values.encode(system)
        try values.encode(seconds)
        switch result {
        case .success(let output):
            try values.encode(true)
            try values.encode(output)
        case .failure(let failure):
            try values.encode(false)
            try values.encode(failure)
        }
    }
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
