/// Why a system gave no response to an attempt: a fault of the system or of the connection to it, not of the task.
///
/// An error that the task's own code throws is not a `ScanError`: it is a failure in ``TaskResponse/result``.
public struct ScanError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// The connection ended, or the system left, before it responded.
        case systemLost
        /// This side has ended the connection, since the system was silent or sent what it must not. Its process may run.
        case disconnected
        /// The attempt took longer than its time-out.
        case timedOut
        /// The requester has cancelled the attempt.
        case cancelled
        /// The requester has cancelled the attempt, since another attempt at the task was faster.
        case overtaken
        /// The system accepts no more tasks now: its queue is full.
        case refused
        /// The system is draining, and accepts no more tasks.
        case draining
        /// The system does not know this type of task.
        case unknownType
        /// The response could not be decoded, or cannot be the answer to the task.
        case invalidResponse
        /// The system no longer keeps the bulk bytes the attempt refers to.
        case bulkMissing
        /// The coordinator could not read the bulk bytes: a fault of the run's input, not of a system.
        case bulkUnreadable
        /// The tasks of the run could not be read: a fault of the run's input, as above.
        case tasksUnreadable
        /// There is no system to run the task.
        case noSystem
        /// The journal of the run cannot be read or written, or is that of other tasks.
        case journal
    }

    /// What went wrong.
    public var code: Code
    /// The cause in words, fit for a user.
    public var message: String
    /// Name of the system; nil if it is not known.
    public var system: String?

    /// An error.
    public init(_ code: Code, _ message: String, system: String? = nil) {
        self.code = code
        self.message = message
        self.system = system
    }

    /// The cause, after the name of the system.
    public var description: String { system.map { "\($0): \(message)" } ?? message }
}
