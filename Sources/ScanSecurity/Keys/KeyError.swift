/// Why a cluster key cannot be used, with what to do about it. Never contains a byte of a key.
public struct KeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        enum Value: String { case malformed, exposed, foreign, missing, unusable }
        let value: Value
        /// The text is no cluster key, or not all of one.
        public static let malformed = Code(value: .malformed)
        /// Others can read or replace the key file.
        public static let exposed = Code(value: .exposed)
        /// The key file belongs to another user.
        public static let foreign = Code(value: .foreign)
        /// There is no key file.
        public static let missing = Code(value: .missing)
        /// The key file, or something it needs, cannot be read, written or made.
        public static let unusable = Code(value: .unusable)

        /// The code's name.
        public var description: String { value.rawValue }
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
