/// An error with a code to match on and a message for users.
public struct CodedError<Code: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public var code: Code
    /// The cause and the remedy, in one line.
    public var message: String

    /// Creates an error with a code and a message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message, without the code.
    public var description: String { message }
}
