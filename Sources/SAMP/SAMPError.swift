public import ScanBasics

/// The kind of a ``SAMPError``.
public enum SAMPErrorCode: Hashable, Sendable {
    /// No hub is running, or its lock file cannot be read.
    case noHub
    /// The hub does not accept a connection, or has closed it.
    case unreachable
    /// The hub's response is not valid XML-RPC.
    case malformed
    /// The hub or a program has refused the request.
    case refused
}

/// A failure to communicate through a SAMP hub, described in one line.
public typealias SAMPError = CodedError<SAMPErrorCode>
