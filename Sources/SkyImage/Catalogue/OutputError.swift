/// Why a file cannot be written, in one line that names the file, the cause and what to do.
public struct OutputError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// The file exists, and overwriting was not requested.
        case exists
        /// The folder is missing or read-only, or the path does not name a regular file.
        case unwritable
        /// The disk or the quota is full.
        case noSpace
        /// The name's extension selects no known format.
        case unknownFormat
        /// The reader of a pipe has closed it.
        case brokenPipe
        /// Any other failure while writing.
        case failed
        /// The format needs a column that the table lacks.
        case missingColumn
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
