public import ScanBasics

/// What can go wrong with a SAMP hub.
public enum SAMPErrorCode: Hashable, Sendable {
    /// No hub runs, or its lock file cannot be read.
    case noHub
    /// The hub does not accept a connection, or has closed it.
    case unreachable
    /// What the hub sent is not an answer of XML-RPC.
    case malformed
    /// The hub or a program has refused.
    case refused
}

/// An error of a SAMP hub, in one line.
public typealias SAMPError = CodedError<SAMPErrorCode>
