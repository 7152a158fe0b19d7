/// An error with a code to match on and a message for users.
public struct CodedError<Code: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public var code: Code
    /// The cause and the remedy, in one line.
    public var message: String

    /// An error whose message is `message`.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
