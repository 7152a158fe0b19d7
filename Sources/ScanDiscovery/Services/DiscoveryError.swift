public import ScanBasics

/// A failure of discovery, described in one line with the remedy.
public typealias DiscoveryError = CodedError<DiscoveryErrorCode>

/// The kind of a ``DiscoveryError``.
public enum DiscoveryErrorCode: String, Sendable {
    /// No daemon is running.
    case daemonAbsent
    /// The daemon exists but does not answer.
    case daemonNotAnswering
    /// The daemon stopped while it was in use.
    case daemonLost
    /// The network did not answer.
    case noAnswer
    /// The announcement or received data violate a rule of DNS-SD.
    case invalid
    /// The daemon refused the request.
    case refused
    /// This source of nodes does not support the request.
    case unsupported
}
