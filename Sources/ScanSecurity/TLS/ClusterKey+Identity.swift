/// The PSK identity that a client sends in clear text: `skyfarm-1-` and the key's fingerprint.
extension ClusterKey {
    private static let identityPrefix = "skyfarm-1-"

    var tlsIdentity: String { Self.identityPrefix + fingerprint.description }

    /// Returns the fingerprint in a peer's identity, or nil if it does not have the format of ``tlsIdentity``.
    static func fingerprint(tlsIdentity bytes: some Collection<UInt8>) -> KeyFingerprint? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(identityPrefix) else { return nil }
        return KeyFingerprint(text.dropFirst(identityPrefix.count))
    }
}
