import ScanSecurity
import ScanSockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why there is no connection: none could be made, the handshake has failed, the peer is not used, or it has ended.
public struct ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// No connection could be made.
        case unreachable
        /// Another program answers at the address.
        case notANode
        /// The peer does not hold the cluster key, or did not prove it.
        case authentication
        /// The peer speaks another protocol version, or cannot do what the connection was made for.
        case incompatible
        /// The peer's scans could give other outputs than those of this process.
        case differentArithmetic
        /// The peer does not know a type of task.
        case unknownType
        /// The user wants no task to run there.
        case excluded
        /// The user has named a node in such a way that this one or another one could be meant.
        case ambiguous
        /// The peer accepts no connection now, or not this call.
        case refused
        /// The connection ended.
        case lost
        /// This side has ended the connection, since the peer was silent or sent what it must not. Its process may run.
        case disconnected
    }

    /// What went wrong.
    public var code: Code
    /// The cause in words, fit for a user.
    public var message: String
    /// Name or address of the peer; nil if it is not known.
    public var system: String?

    /// An error.
    public init(_ code: Code, _ message: String, system: String? = nil) {
        (self.code, self.message, self.system) = (code, message, system)
    }

    /// Why a session was refused or has ended.
    init(_ error: TLSError) {
        let code: Code =
            switch error.code {
            case .wrongKey, .noKey, .noProof, .oldVersion: .authentication
            case .notTLS, .tooManyBytes, .endedInHandshake: .notANode
            case .truncated, .corrupted, .alert, .protocolViolation, .unusable: .lost
            }
        self.init(code, error.message)
    }

    /// A call for the socket failed. Only a reset may be the end of the peer's process.
    init(broken error: SocketError) {
        let isReset = [ECONNRESET, EPIPE].contains(error.errno)
        self.init(isReset ? .lost : .disconnected, "the connection broke: \(error)")
    }

    /// The cause, after the name of the system.
    public var description: String { system.map { "\($0): \(message)" } ?? message }
}
