/// Why a session with a peer is refused or has ended. The message is about the peer ("offers no cluster key"), so that
/// the peer's name can be put before it.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The peer holds another cluster key.
        case wrongKey
        /// The peer speaks TLS 1.3 and offers no key.
        case noKey
        /// What answers did not prove that it holds the key.
        case noProof
        /// The peer does not speak TLS.
        case notTLS
        /// The peer speaks only TLS 1.2 or older.
        case oldVersion
        /// The handshake took more bytes than a stranger may send.
        case tooManyBytes
        /// The peer closed the connection before the handshake was done.
        case endedInHandshake
        /// The connection ended without a farewell: what came may be incomplete.
        case truncated
        /// A record was changed on the way.
        case corrupted
        /// The peer gave up and sent an alert.
        case alert
        /// The peer broke the rules of TLS.
        case protocolViolation
        /// OpenSSL failed on this side.
        case unusable
    }

    package var code: Code
    /// The cause and what to do, in one line.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Whether the peer does not belong to the cluster, as far as this side can see.
    package var isAuthentication: Bool {
        switch code {
        case .wrongKey, .noKey, .noProof, .oldVersion: true
        case .notTLS, .tooManyBytes, .endedInHandshake, .truncated, .corrupted, .alert, .protocolViolation, .unusable:
            false
        }
    }
}
