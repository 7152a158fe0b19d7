import CScanSecurity

/// The secret that makes machines a cluster: 32 random bytes, wiped when nobody holds the key any more.
///
/// Describing, dumping or mirroring a key shows its fingerprint and nothing else. The bytes leave it only through
/// ``exportText()``, the text that is copied to another machine.
public final class ClusterKey: @unchecked Sendable {
    // Sendable: the memory is written only inside `init`, before another thread can know this object, and wiped in
    // `deinit`, when none can any more.
    private let memory: UnsafeMutableRawPointer

    /// The key's public name.
    public let fingerprint: KeyFingerprint

    /// Length of a key in bytes.
    public static let byteCount = Int(SCAN_TLS_KEY_LENGTH)

    /// A key whose bytes `fill` writes into memory of ``byteCount`` bytes.
    init(fill: (UnsafeMutableRawBufferPointer) throws(KeyError) -> Void) throws(KeyError) {
        memory = .allocate(byteCount: Self.byteCount, alignment: 16)
        do {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: Self.byteCount))
            fingerprint = KeyFingerprint(digest: try Self.digest(memory))
        } catch {
            scan_tls_wipe(memory, Self.byteCount)
            memory.deallocate()
            throw error
        }
    }

    deinit {
        scan_tls_wipe(memory, Self.byteCount)
        memory.deallocate()
    }

    /// A new key from the system's source of random bytes.
    /// - Throws: ``KeyError`` if that source gives none.
    public static func random() throws(KeyError) -> ClusterKey {
        try ClusterKey { (bytes) throws(KeyError) in
            guard scan_tls_random(bytes.baseAddress, bytes.count) else {
                throw KeyError(.unusable, "this machine gives no random bytes, so no cluster key can be made")
            }
        }
    }

    /// Reads the secret bytes; they must not be kept.
    func withSecret<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(UnsafeRawBufferPointer(start: memory, count: Self.byteCount))
        }
    }

    /// SHA-256 over a name of its purpose and the key, so that no other use of the key gives the same digest.
    private static func digest(_ key: UnsafeRawPointer) throws(KeyError) -> [UInt8] {
        var purpose = "skyfarm cluster key fingerprint 1\0"
        var digest = [UInt8](repeating: 0, count: Int(SCAN_TLS_DIGEST_LENGTH))
        let done = purpose.withUTF8 { scan_tls_sha256($0.baseAddress, $0.count, key, byteCount, &digest) }
        guard done else { throw KeyError(.unusable, "OpenSSL gives no SHA-256; check its installation") }
        return digest
    }
}

extension ClusterKey: Equatable {
    /// Compares the bytes, in a time that does not depend on them.
    public static func == (left: ClusterKey, right: ClusterKey) -> Bool {
        scan_tls_equal(left.memory, right.memory, byteCount)
    }
}

extension ClusterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint, never the key.
    public var description: String { "cluster key \(fingerprint)" }
    /// The fingerprint, never the key.
    public var debugDescription: String { description }
    /// The fingerprint, never the key.
    public var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint.description]) }
}
