public import ScanBasics

/// Why discovery cannot do what was requested, in one line that says what to do.
public typealias DiscoveryError = CodedError<DiscoveryErrorCode>

/// What went wrong; see ``DiscoveryError``.
public enum DiscoveryErrorCode: String, Sendable {
    /// No daemon is running.
    case daemonAbsent
    /// The daemon exists but does not answer.
    case daemonNotAnswering
    /// The daemon stopped while it was used.
    case daemonLost
    /// There was no answer from the network.
    case noAnswer
    /// The announcement, or received data, breaks a rule of DNS-SD.
    case invalid
    /// The daemon refused the request.
    case refused
    /// This source of nodes cannot do that.
    case unsupported
}
