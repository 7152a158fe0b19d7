/// Why discovery cannot do what was asked, in one line that says what to do.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        enum Value: String {
            case daemonAbsent, daemonNotAnswering, daemonLost, noAnswer, invalid, refused, unsupported
        }
        let value: Value
        /// No daemon runs that could be asked.
        public static let daemonAbsent = Code(value: .daemonAbsent)
        /// The daemon exists but does not answer.
        public static let daemonNotAnswering = Code(value: .daemonNotAnswering)
        /// The daemon went away while it was used.
        public static let daemonLost = Code(value: .daemonLost)
        /// Nobody on the network answered.
        public static let noAnswer = Code(value: .noAnswer)
        /// What was to be announced, or what was received, breaks a rule of DNS-SD.
        public static let invalid = Code(value: .invalid)
        /// The daemon refused.
        public static let refused = Code(value: .refused)
        /// This source of nodes cannot do that.
        public static let unsupported = Code(value: .unsupported)

        /// The code's name.
        public var description: String { value.rawValue }
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
