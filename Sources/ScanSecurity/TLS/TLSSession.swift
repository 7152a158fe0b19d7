import CScanSecurity
package import Foundation

/// One side of a TLS 1.3 connection whose peers prove to each other that they hold the cluster key.
///
/// Works on memory alone. The owner receives ciphertext into ``space()``, reports it with ``received(_:)`` and takes
/// plaintext with ``read(into:)``; it encrypts with ``seal(_:)`` and sends what ``withOutput(_:)`` gives. Confined to
/// one thread at a time. After an error the output may hold an alert that tells the peer why; send it, then close.
package final class TLSSession {
    package enum Role: Sendable { case client, server }

    package enum Phase: Sendable {
        /// Nothing can be sealed or read yet.
        case handshaking
        /// Both sides have proved that they hold the key.
        case established
        /// The peer has said that nothing more comes.
        case closed
        /// Over; every call throws the same error.
        case failed
    }

    package let role: Role
    package private(set) var phase = Phase.handshaking
    /// The key in use; nil before the session is established.
    package private(set) var key: KeyFingerprint?

    let session: OpaquePointer
    private let fingerprints: [KeyFingerprint]
    private let handshakeBytes: Int
    private let recordsPerKey: UInt64
    private var records: UInt64 = 0
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var firstBytes: [UInt8] = []
    private var error: TLSError?

    /// A client that offers `key`; its first bytes wait in the output.
    /// - Parameters:
    ///   - key: what the peer must hold, too.
    ///   - limits: what the handshake may take.
    ///   - recordsPerKey: after so many records this side changes its traffic key. AES-GCM is safe for 2^24.5.
    /// - Throws: ``TLSError/Code/unusable`` if OpenSSL fails.
    package convenience init(
        client key: ClusterKey, limits: UnauthenticatedLimits = UnauthenticatedLimits(), recordsPerKey: UInt64 = 1 << 23
    ) throws(TLSError) {
        try self.init(.client, [key], limits, recordsPerKey)
        try handshake()
    }

    /// A server that accepts the keys that are valid at `time`.
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

// MARK: In

extension TLSSession {
    /// Whether the peer has shown a proof that it holds a key. Before the session is established, it may have repeated
    /// another's.
    package var isRecognised: Bool { phase != .failed && scan_tls_key_index(session) >= 0 }

    /// Longest piece of ciphertext that is received at once.
    private static let inputSize = 1 << 16

    /// Memory to receive ciphertext into; empty while ``read(into:)`` has not read what was received before, and when
    /// nothing more is to come.
    package func space() -> UnsafeMutableRawBufferPointer {
        guard phase == .handshaking || phase == .established, scan_tls_input_count(session) == 0 else {
            return UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        // A stranger gets no more memory than its handshake may take.
        let size = phase == .handshaking ? min(handshakeBytes, Self.inputSize) : Self.inputSize
        if input.count < size {
            input.deallocate()
            input = .allocate(byteCount: size, alignment: 16)
        }
        return input
    }

    /// The first `count` bytes of ``space()`` were received. Goes on with the handshake; once the session is
    /// established, ``read(into:)`` is to be called until it returns 0.
    /// - Throws: ``TLSError`` if the peer is refused or breaks the session.
    package func received(_ count: Int) throws(TLSError) {
        if let error { throw error }
        precondition(count <= input.count && scan_tls_input_count(session) == 0, "more was received than there is room")
        if phase == .handshaking { firstBytes += input[..<count].prefix(FirstBytes.count - firstBytes.count) }
        scan_tls_lend_input(session, input.baseAddress, count)
        if phase == .handshaking { try handshake() }
    }

    /// Reads plaintext into `buffer`.
    /// - Returns: the number of bytes, at most one record's; 0 when all that was received has been read.
    /// - Throws: ``TLSError`` if the peer breaks the session.
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

    /// The connection ended.
    /// - Throws: ``TLSError`` unless the peer had said that nothing more comes.
    package func receiveEnd() throws(TLSError) {
        if let error { throw error }
        switch phase {
        case .closed, .failed: return
        case .handshaking:
            throw fail(
                TLSError(.endedInHandshake, "closed the connection in the TLS handshake: it is busy, or no Skyfarm"))
        case .established:
            throw fail(TLSError(.truncated, "closed the connection without a farewell"))
        }
    }
}

// MARK: Out

extension TLSSession {
    /// Encrypts `plaintext` into the output.
    /// - Throws: ``TLSError`` if the session has failed.
    /// - Precondition: the session is established, or closed by the peer.
    package func seal(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        if let error { throw error }
        precondition(phase != .handshaking, "nothing may be sealed before the handshake")
        guard !plaintext.isEmpty else { return }
        if records >= recordsPerKey {
            records = 0
            try check(scan_tls_update_key(session))
        }
        records += UInt64(plaintext.count / Int(SCAN_TLS_RECORD_LENGTH) + 1)
        try check(scan_tls_write(session, plaintext.baseAddress, plaintext.count))
    }

    /// Puts a farewell into the output: nothing more will be sealed. Does nothing unless the session is established.
    package func close() {
        guard phase == .established || phase == .closed else { return }
        // If even that fails, the peer sees the connection end without it.
        _ = scan_tls_close(session)
    }

    /// Number of bytes that wait to be sent.
    package var outputCount: Int {
        var count = 0
        _ = scan_tls_output(session, &count)
        return count
    }

    /// Hands the bytes that wait to be sent to `body`, which returns how many of them it sent, and forgets those.
    /// Inside `body` the session must not be used.
    package func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows {
        var count = 0
        let start = scan_tls_output(session, &count)
        guard count > 0 else { return }
        let sent = try body(UnsafeRawBufferPointer(start: start, count: count))
        precondition(sent >= 0 && sent <= count, "more was sent than there is")
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
