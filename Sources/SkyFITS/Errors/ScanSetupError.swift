/// Why a scan cannot be done as requested: one line for the user that names the cause.
public struct ScanSetupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause and what to do next.
    public let description: String

    /// An error with the message `description`.
    public init(_ description: String) { self.description = description }
}
