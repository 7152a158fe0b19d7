import CScanSecurity

/// SHA-256 of data that are not secret.
package enum SHA256Digest {
    package static let byteCount = Int(SCAN_TLS_DIGEST_LENGTH)

    /// Returns the digest of `bytes`.
    /// - Throws: ``KeyError`` if OpenSSL cannot compute it.
    package static func of(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        guard bytes.withUnsafeBytes({ scan_tls_sha256($0.baseAddress, $0.count, nil, 0, &digest) }) else {
            throw KeyError(.unusable, "OpenSSL failed to compute SHA-256: check its installation")
        }
        return digest
    }
}
