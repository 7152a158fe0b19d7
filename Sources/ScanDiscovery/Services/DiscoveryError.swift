/// Why discovery cannot do what was requested, in one line that says what to do.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// No daemon is running.
        case daemonAbsent
        /// The daemon exists but does not answer.
        case daemonNotAnswering
        /// The daemon stopped while it was used.
        case daemonLost
        /// There was no answer from the network.
        case noAnswer
        /// The announcement, or received data, breaks a rule of DNS-SD.
        case invalid
        /// The daemon refused the request.
        case refused
        /// This source of nodes cannot do that.
        case unsupported
    }

    /// What went wrong.
    public var code: Code
    /// The cause in words, fit for a user.
    public var message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The cause in words.
    public var description: String { message }
}
