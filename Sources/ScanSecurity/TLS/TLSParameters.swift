import CScanSecurity

/// The negotiated parameters, with OpenSSL's names.
package struct TLSParameters: Sendable, Equatable, CustomStringConvertible {
    package var version: String
    package var cipher: String
    package var group: String

    package var description: String { "\(version) \(cipher) \(group)" }
}

extension TLSSession {
    /// The negotiated parameters; valid once the session is established.
    package var parameters: TLSParameters {
        TLSParameters(
            version: String(cString: scan_tls_version_name(session)),
            cipher: String(cString: scan_tls_cipher_name(session)), group: String(cString: scan_tls_group_name(session))
        )
    }
}
