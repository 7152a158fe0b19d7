import ScanCluster
import ScanSecurity

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
}
