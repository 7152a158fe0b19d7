/// Why discovery cannot do what was asked, in one line that says what to do.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// No daemon runs that could be asked.
        case daemonAbsent
        /// The daemon exists but does not answer.
        case daemonNotAnswering
        /// The daemon went away while it was used.
        case daemonLost
        /// Nobody on the network answered.
        case noAnswer
        /// What was to be announced, or what was received, breaks a rule of DNS-SD.
        case invalid
        /// The daemon refused.
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
