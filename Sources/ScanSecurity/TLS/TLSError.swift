package import ScanBasics

/// A reason why a TLS session was refused or has ended. The message is a predicate of the peer, such as "offers no
/// cluster key", and follows the peer's name.
package typealias TLSError = CodedError<TLSErrorCode>

/// The kind of a ``TLSError``.
package enum TLSErrorCode: String, Sendable {
    /// The peer holds another cluster key.
    case wrongKey
    /// The peer speaks TLS 1.3 and offers no key.
    case noKey
    /// The server did not prove that it holds the key.
    case noProof
    /// The peer does not speak TLS.
    case notTLS
    /// The peer speaks only TLS 1.2 or older.
    case oldVersion
    /// The handshake exceeded ``UnauthenticatedLimits/handshakeBytes``.
    case tooManyBytes
    /// The peer closed the connection before the handshake was complete.
    case endedInHandshake
    /// The connection ended without close_notify: the data may be incomplete.
    case truncated
    /// A record failed authentication.
    case corrupted
    /// The peer ended the session with an alert.
    case alert
    /// The peer violated the TLS protocol.
    case protocolViolation
    /// OpenSSL failed on this side.
    case unusable
}
