/// Why a cluster key cannot be used, with what to do about it. Never contains a byte of a key.
public struct KeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// The text is not a cluster key, or not all of one.
        case malformed
        /// Others can read or replace the key file.
        case exposed
        /// The key file belongs to another user.
        case foreign
        /// There is no key file.
        case missing
        /// The key file, or something it needs, cannot be read, written or made.
        case unusable
    }

    /// What went wrong.
    public var code: Code
    /// The cause and what to do, in one line.
    public var message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
