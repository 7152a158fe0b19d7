import CScanSecurity

/// The state of a session when it failed, from which the error is derived.
struct TLSFailure {
    var role: TLSSession.Role
    var failure: scan_tls_failure
    /// Number of the peer's alert if `failure` is ``SCAN_TLS_FAILURE_ALERT``.
    var alert: Int
    var isEstablished: Bool
    var ourKey: KeyFingerprint
    /// Fingerprint in the client's identity, if it has Skyfarm's format.
    var peerKey: KeyFingerprint?
    /// Whether the client offered any identity.
    var peerNamedKey: Bool
    var firstBytes: [UInt8]

    var error: TLSError {
        switch failure {
        case SCAN_TLS_FAILURE_NOT_TLS:
            TLSError(.notTLS, FirstBytes.description(of: firstBytes))
        case SCAN_TLS_FAILURE_OLD_VERSION:
            .oldVersion
        case SCAN_TLS_FAILURE_NO_COMMON_KEY where role == .client || !peerNamedKey:
            role == .client ? .noProof : TLSError(.noKey, "speaks TLS but offers no cluster key: it is not Skyfarm")
        case SCAN_TLS_FAILURE_NO_COMMON_KEY:
            .wrongKey(ours: ourKey, theirs: peerKey)
        case SCAN_TLS_FAILURE_BINDER:
            .forgedKey(ourKey)
        case SCAN_TLS_FAILURE_CERTIFICATE:
            .noProof
        case SCAN_TLS_FAILURE_CORRUPT_RECORD:
            TLSError(.corrupted, "sent a record that was changed in transit, or is not a member of the cluster")
        case SCAN_TLS_FAILURE_ALERT:
            alertError
        case SCAN_TLS_FAILURE_INTERNAL:
            TLSError(.unusable, "OpenSSL failed here: memory may be short")
        default:
            TLSError(.protocolViolation, "breaks the rules of TLS 1.3")
        }
    }

    /// Maps the alerts of RFC 8446, section 6.
    private var alertError: TLSError {
        switch alert {
        case 40 where role == .client && !isEstablished:  // handshake_failure: the server does not hold this key
            .wrongKey(ours: ourKey, theirs: peerKey)
        case 47 where role == .client && !isEstablished:  // illegal_parameter: the binder does not match
            .forgedKey(ourKey)
        case 70:  // protocol_version
            .oldVersion
        default:
            TLSError(.alert, "ended the connection with TLS alert \(alert)")
        }
    }
}

extension TLSError {
    fileprivate static let oldVersion = TLSError(
        .oldVersion, "does not speak TLS 1.3: it is not Skyfarm, or something in between changes the connection")

    fileprivate static let noProof = TLSError(
        .noProof, "did not prove that it holds the cluster key: it is not a Skyfarm node, or it is an impostor")

    /// Returns the error for a peer with another key than this side; `theirs` is nil if its fingerprint is unknown.
    package static func wrongKey(ours: KeyFingerprint, theirs: KeyFingerprint?) -> TLSError {
        let name = theirs.map { "fingerprint \($0), ours is \(ours)" } ?? "not ours, whose fingerprint is \(ours)"
        return TLSError(
            .wrongKey,
            "has another cluster key (\(name)): copy the key with 'skyfarm key export' there and 'skyfarm key import' "
                + "here, or the other way round")
    }

    fileprivate static func forgedKey(_ fingerprint: KeyFingerprint) -> TLSError {
        TLSError(
            .wrongKey,
            "names our cluster key (fingerprint \(fingerprint)) but holds another: it may be an impostor, or something "
                + "in between changes the connection")
    }
}
