import CScanSecurity
package import Foundation

/// One side of a TLS 1.3 connection in which both peers prove that they hold the cluster key.
///
/// Performs no I/O. The owner receives ciphertext into ``space()``, reports it with ``received(_:)`` and takes
/// plaintext with ``read(into:)``; it encrypts with ``seal(_:)`` and sends what ``withOutput(_:)`` provides. Confined
/// to one thread at a time. After an error the output may hold an alert for the peer; send it, then close the
/// connection.
package final class TLSSession {
    package enum Role: Sendable { case client, server }

    package enum Phase: Sendable {
        /// No data can be sealed or read yet.
        case handshaking
        /// Both sides have proved that they hold the key.
        case established
        /// The peer sent close_notify.
        case closed
        /// The session failed; every call throws the same error.
        case failed
    }

    package let role: Role
    package private(set) var phase = Phase.handshaking
    /// Fingerprint of the key in use; nil before the session is established.
    package private(set) var key: KeyFingerprint?

    let session: OpaquePointer
    private let fingerprints: [KeyFingerprint]
    private let handshakeBytes: Int
    private let recordsPerKey: UInt64
    private var records: UInt64 = 0
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var firstBytes: [UInt8] = []
    private var error: TLSError?

    /// Creates a client that offers `key`. The output then holds its ClientHello.
    /// - Parameters:
    ///   - key: the key that the peer must also hold.
    ///   - limits: limits of the handshake.
    ///   - recordsPerKey: number of records after which this side updates its traffic key. The limit of AES-GCM is
    ///     2^24.5.
    /// - Throws: ``TLSError/Code/unusable`` if OpenSSL fails.
    package convenience init(
        client key: ClusterKey, limits: UnauthenticatedLimits = UnauthenticatedLimits(), recordsPerKey: UInt64 = 1 << 23
    ) throws(TLSError) {
        try self.init(.client, [key], limits, recordsPerKey)
        try handshake()
    }

    /// Creates a server that accepts the keys that are valid at `time`.
    /// - Throws: ``TLSError/Code/unusable`` if OpenSSL fails.
    package convenience init(
        server ring: KeyRing, at time: Date, limits: UnauthenticatedLimits = UnauthenticatedLimits(),
        recordsPerKey: UInt64 = 1 << 23
    ) throws(TLSError) {
        try self.init(.server, ring.keys(at: time), limits, recordsPerKey)
    }

    private init(
        _ role: Role, _ keys: [ClusterKey], _ limits: UnauthenticatedLimits, _ recordsPerKey: UInt64
    ) throws(TLSError) {
        self.role = role
        self.recordsPerKey = recordsPerKey
        handshakeBytes = limits.handshakeBytes
        fingerprints = keys.map(\.fingerprint)
        guard let session = TLSSession.make(role, keys) else {
            throw TLSError(.unusable, "OpenSSL 3 cannot start TLS 1.3 with a key here: check its installation")
        }
        self.session = session
    }

    deinit {
        scan_tls_free(session)
        input.deallocate()
    }
}

// MARK: Input

extension TLSSession {
    /// Whether the peer has sent a valid proof of a key. Until the session is established, the proof may be a replay.
    package var isRecognised: Bool { phase != .failed && scan_tls_key_index(session) >= 0 }

    /// Size of the input buffer in bytes.
    private static let inputSize = 1 << 16

    /// Returns memory for received ciphertext. It is empty until ``read(into:)`` has read all earlier input, and after
    /// the end of the session.
    package func space() -> UnsafeMutableRawBufferPointer {
        guard phase == .handshaking || phase == .established, scan_tls_input_count(session) == 0 else {
            return UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        // An unauthenticated peer gets no more memory than its handshake may use.
        let size = phase == .handshaking ? min(handshakeBytes, Self.inputSize) : Self.inputSize
        if input.count < size {
            input.deallocate()
            input = .allocate(byteCount: size, alignment: 16)
        }
        return input
    }

    /// Accepts the first `count` bytes of ``space()`` as received and continues the handshake. Once the session is
    /// established, call ``read(into:)`` until it returns 0.
    /// - Throws: ``TLSError`` if the peer is refused or violates the protocol.
    package func received(_ count: Int) throws(TLSError) {
        if let error { throw error }
        precondition(count <= input.count && scan_tls_input_count(session) == 0, "received more than the space holds")
        if phase == .handshaking { firstBytes += input[..<count].prefix(FirstBytes.count - firstBytes.count) }
        scan_tls_lend_input(session, input.baseAddress, count)
        if phase == .handshaking { try handshake() }
    }

    /// Decrypts received bytes into `buffer`.
    /// - Returns: the number of bytes, at most those of one record; 0 when all input has been read.
    /// - Throws: ``TLSError`` if the peer violates the protocol.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        if let error { throw error }
        guard phase == .established, !buffer.isEmpty else { return 0 }
        var count = 0
        switch scan_tls_read(session, buffer.baseAddress, buffer.count, &count) {
        case SCAN_TLS_DONE:
            return count
        case SCAN_TLS_WANTS_INPUT:
            return 0
        case SCAN_TLS_CLOSED:
            phase = .closed
            return 0
        default:
            throw fail()
        }
    }

    /// Handles the end of the connection.
    /// - Throws: ``TLSError`` unless the peer has sent close_notify.
    package func receiveEnd() throws(TLSError) {
        if let error { throw error }
        switch phase {
        case .closed, .failed: return
        case .handshaking:
            throw fail(
                TLSError(.endedInHandshake, "closed the connection in the TLS handshake: it is busy, or no Skyfarm"))
        case .established:
            throw fail(TLSError(.truncated, "closed the connection without close_notify"))
        }
    }
}

// MARK: Output

extension TLSSession {
    /// Encrypts `plaintext` into the output.
    /// - Throws: ``TLSError`` if the session has failed.
    /// - Precondition: the session is established, or closed by the peer.
    package func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        if let error { throw error }
        precondition(phase != .handshaking, "nothing can be sealed before the handshake is done")
        guard !plaintext.isEmpty else { return }
        if records >= recordsPerKey {
            records = 0
            try check(scan_tls_update_key(session))
        }
        records += UInt64(plaintext.count / Int(SCAN_TLS_RECORD_LENGTH) + 1)
        try check(scan_tls_write(session, plaintext.baseAddress, plaintext.count))
    }

    /// Adds close_notify to the output; seal nothing afterwards. Does nothing unless the session is established.
    package func close() {
        guard phase == .established || phase == .closed else { return }
        // If this fails, the peer sees the connection end without close_notify.
        _ = scan_tls_close(session)
    }

    /// Number of output bytes that have not been sent.
    package var outputCount: Int {
        var count = 0
        _ = scan_tls_output(session, &count)
        return count
    }

    /// Passes the output to `body`, which returns the number of bytes it sent, and discards those. `body` must not use
    /// the session.
    package func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows {
        var count = 0
        let start = scan_tls_output(session, &count)
        guard count > 0 else { return }
        let sent = try body(UnsafeRawBufferPointer(start: start, count: count))
        precondition(sent >= 0 && sent <= count, "sent more than the output holds")
        scan_tls_discard_output(session, sent)
    }
}

// MARK: Steps

extension TLSSession {
    private static func make(_ role: Role, _ keys: [ClusterKey]) -> OpaquePointer? {
        func collect(_ rest: ArraySlice<ClusterKey>, _ collected: [scan_tls_key]) -> OpaquePointer? {
            guard let key = rest.first else {
                return scan_tls_new(role == .client ? SCAN_TLS_CLIENT : SCAN_TLS_SERVER, collected, collected.count)
            }
            return key.tlsIdentity.withCString { identity in
                key.withSecret { secret in
                    let entry = scan_tls_key(
                        identity: identity, key: secret.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    return collect(rest.dropFirst(), collected + [entry])
                }
            }
        }
        return collect(keys[...], [])
    }

    private func handshake() throws(TLSError) {
        switch scan_tls_handshake(session) {
        case SCAN_TLS_DONE:
            phase = .established
            key = fingerprints[Int(scan_tls_key_index(session))]
        case SCAN_TLS_WANTS_INPUT:
            guard scan_tls_consumed(session) <= handshakeBytes else {
                throw fail(
                    TLSError(.tooManyBytes, "sent more than \(handshakeBytes) bytes before the handshake was done"))
            }
        default:
            throw fail()
        }
    }

    private func check(_ result: scan_tls_result) throws(TLSError) {
        guard result == SCAN_TLS_DONE else { throw fail() }
    }

    private func fail() -> TLSError {
        var count = 0
        let offered = scan_tls_offered_identity(session, &count)
        let identity = UnsafeBufferPointer(start: offered, count: count)
        let failure = TLSFailure(
            role: role, failure: scan_tls_get_failure(session), alert: Int(scan_tls_get_alert(session)),
            isEstablished: key != nil, ourKey: fingerprints[0],
            peerKey: ClusterKey.fingerprint(tlsIdentity: identity), peerNamedKey: count > 0,
            firstBytes: firstBytes)
        return fail(failure.error)
    }

    private func fail(_ error: TLSError) -> TLSError {
        phase = .failed
        self.error = error
        return error
    }
}
