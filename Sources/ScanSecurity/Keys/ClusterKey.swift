import CScanSecurity

/// The secret shared by the machines of a cluster: 32 random bytes, wiped when the last reference is released.
///
/// Its description, dump and mirror show only the fingerprint. Only ``exportText()`` returns the bytes, as the text to
/// copy to another machine.
public final class ClusterKey: @unchecked Sendable {
    // Sendable: the memory is written only in `init`, before another thread can refer to this object, and wiped in
    // `deinit`, when no thread can.
    private let memory: UnsafeMutableRawPointer

    /// Public identifier of the key.
    public let fingerprint: KeyFingerprint

    /// Length of a key in bytes.
    public static let byteCount = Int(SCAN_TLS_KEY_LENGTH)

    /// Creates a key whose ``byteCount`` bytes are written by `fill`.
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

    /// Creates a key with the system's random number generator.
    /// - Throws: ``KeyError`` if the generator fails.
    public static func random() throws(KeyError) -> ClusterKey {
        try ClusterKey { (bytes) throws(KeyError) in
            guard scan_tls_random(bytes.baseAddress, bytes.count) else {
                throw KeyError(.unusable, "the system's random number generator failed: no cluster key was made")
            }
        }
    }

    /// Creates a key for a process that connects to no other process: random, so that no other process has it, and
    /// without a fingerprint. Avoids OpenSSL, which takes more than a millisecond to initialise.
    package static func unused() -> ClusterKey { ClusterKey() }

    private init() {
        memory = .allocate(byteCount: Self.byteCount, alignment: 16)
        var generator = SystemRandomNumberGenerator()
        for offset in 0..<Self.byteCount {
            memory.storeBytes(
                of: UInt8.random(in: .min ... .max, using: &generator), toByteOffset: offset, as: UInt8.self)
        }
        fingerprint = KeyFingerprint(digest: [])
    }

    /// Passes the secret bytes to `body`, which must not keep the pointer.
    func withSecret<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(UnsafeRawBufferPointer(start: memory, count: Self.byteCount))
        }
    }

    /// Computes SHA-256 over a purpose string and the key: domain separation from other uses of the key.
    private static func digest(_ key: UnsafeRawPointer) throws(KeyError) -> [UInt8] {
        var purpose = "skyfarm cluster key fingerprint 1\0"
        var digest = [UInt8](repeating: 0, count: Int(SCAN_TLS_DIGEST_LENGTH))
        let done = purpose.withUTF8 { scan_tls_sha256($0.baseAddress, $0.count, key, byteCount, &digest) }
        guard done else { throw KeyError(.unusable, "OpenSSL failed to compute SHA-256: check its installation") }
        return digest
    }
}

extension ClusterKey: Equatable {
    /// Compares the bytes in constant time.
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
