/// A failure to write a file. The message names the file, the cause and the remedy in one line.
public typealias OutputError = CodedError<OutputErrorCode>

/// The kind of an ``OutputError``.
public enum OutputErrorCode: String, Sendable {
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
