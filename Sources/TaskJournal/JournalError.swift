public import ScanBasics

/// The reason why a journal cannot be used, in one line that names the file, the cause and the remedy.
public typealias JournalError = CodedError<JournalErrorCode>

/// Category of a ``JournalError``.
public enum JournalErrorCode: String, Sendable {
    /// Another process runs the job.
    case inUse
    /// The disk or the quota is full.
    case noSpace
    /// The folder or the file cannot be written.
    case unwritable
    /// The file is not a journal of this version, or its content is corrupt.
    case damaged
    /// The journal is of another program, or of other tasks.
    case otherTasks
    /// No job has this ID, or several have it as a prefix.
    case unknownJob
}
