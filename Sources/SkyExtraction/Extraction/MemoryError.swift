/// The kernel of a scan got no memory.
public struct MemoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The purpose of the memory, for the message.
    public let description: String

    /// An error for memory that was for `purpose`.
    package init(for purpose: String) { description = "not enough memory for \(purpose)" }
}
