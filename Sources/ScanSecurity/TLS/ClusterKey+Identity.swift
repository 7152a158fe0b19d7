/// The identity under which a client names its key in the clear: `skyfarm-1-` and the fingerprint.
extension ClusterKey {
    private static let identityPrefix = "skyfarm-1-"

    var tlsIdentity: String { Self.identityPrefix + fingerprint.description }

    /// The key that a peer names; nil for anything that ``tlsIdentity`` does not write.
    static func fingerprint(tlsIdentity bytes: some Collection<UInt8>) -> KeyFingerprint? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(identityPrefix) else { return nil }
        return KeyFingerprint(text.dropFirst(identityPrefix.count))
    }
}
