/// A reason why a scan cannot run as requested, in one line for the user.
public struct ScanSetupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause and the remedy.
    public let description: String

    /// Creates an error with the message `description`.
    public init(_ description: String) { self.description = description }
}
