/// Why a journal cannot be used, in one line that names the file, the cause and what to do.
public struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// Another process runs the job.
        case inUse
        /// The disk or the quota is full.
        case noSpace
        /// The folder or the file cannot be written.
        case unwritable
        /// The file is not a journal of this version, or its content is corrupt.
        case damaged
        /// No job has this ID, or several have it as a prefix.
        case unknownJob
    }

    /// What went wrong.
    public var code: Code
    /// File, cause and remedy in one line.
    public var message: String

    /// An error whose message is `message`.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
