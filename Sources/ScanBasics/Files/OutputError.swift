/// Why a file cannot be written, in one line that names the file, the cause and what to do.
public typealias OutputError = CodedError<OutputErrorCode>

/// What went wrong; see ``OutputError``.
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
