import ScanCluster
import ScanSecurity

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension ScanError {
    /// Why a session was refused or has ended.
    init(_ error: TLSError) {
        let code: Code =
            switch error.code {
            case .wrongKey, .noKey, .noProof, .oldVersion: .authentication
            case .notTLS, .tooManyBytes, .endedInHandshake: .notANode
            case .truncated, .corrupted, .alert, .protocolViolation, .unusable: .systemLost
            }
        self.init(code, error.message)
    }

    /// A call for the socket failed. Only a reset may be the end of the peer's process.
    init(broken error: SocketError) {
        let isReset = [ECONNRESET, EPIPE].contains(error.errno)
        self.init(isReset ? .systemLost : .disconnected, "the connection broke: \(error)")
    }
}
