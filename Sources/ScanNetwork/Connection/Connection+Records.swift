import ScanSecurity
import ScanSockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Connection {
    /// Moves bytes between a socket and the frames; all of them pass through a TLS session.
    struct RecordLayer {
        /// Most bytes that are encrypted before the encrypted bytes are sent.
        private static let sealLimit = 128 << 10

        private let session: any SecureSession
        private var isClosing = false

        init(_ session: any SecureSession) { self.session = session }

        /// Whether both sides have proved that they hold the key, and may send.
        var isEstablished: Bool {
            switch session.phase {
            case .established, .closed: true
            case .handshaking, .failed: false
            }
        }

        /// Whether no more bytes come; the next ``receive(from:into:)`` reports it.
        var isOver: Bool { session.phase == .closed || session.phase == .failed }

        /// Whether the peer sent a valid proof of the key; it may be a replay.
        var isRecognised: Bool { session.isRecognised }

        /// The key in use; nil before the session is established.
        var key: KeyFingerprint? { session.key }

        /// Whether there is something to send, be it of the handshake, an alert or encrypted frames.
        var hasOutput: Bool { session.outputCount > 0 }

        /// Receives until `space` is full or no more bytes are available, and continues the handshake. If `space` is
        /// full, the session may hold more bytes, which the socket's readiness does not show.
        /// - Throws: `TLSError` if the peer is refused or breaks the session; an alert may then be sent.
        func receive(from socket: Socket, into space: UnsafeMutableRawBufferPointer) throws(TLSError) -> IOResult {
            var filled = 0
            var isDrained = false
            do {
                while filled < space.count {
                    let count = try session.read(into: UnsafeMutableRawBufferPointer(rebasing: space[filled...]))
                    filled += count
                    if count > 0 { continue }
                    if isDrained, filled > 0 { break }
                    let room = session.space()
                    let result = room.isEmpty ? .ended : socket.receive(into: room)
                    switch result {
                    case .bytes(let received):
                        isDrained = received < room.count
                        try session.received(received)
                    case .wouldBlock, .failed, .ended:
                        if filled > 0 { return .bytes(filled) }
                        // Once the session is established, close_notify may be missing: frames show what is complete.
                        if case .ended = result, !isEstablished { try session.receiveEnd() }
                        return result
                    }
                }
            } catch {
                // The bytes before the error are valid; the next call throws the error again.
                if filled == 0 { throw error }
            }
            return .bytes(filled)
        }

        /// Encrypts the first bytes of `pieces`.
        /// - Returns: how many bytes that were.
        /// - Throws: `TLSError` if encryption fails.
        func seal(_ pieces: UnsafeBufferPointer<iovec>) throws(TLSError) -> Int {
            var sealed = 0
            for piece in pieces {
                let count = min(piece.iov_len, Self.sealLimit - sealed)
                try session.seal(UnsafeRawBufferPointer(start: piece.iov_base, count: count))
                sealed += count
                if sealed == Self.sealLimit { break }
            }
            return sealed
        }

        /// Sends as much of the output as the socket accepts now.
        func send(to socket: Socket) -> IOResult {
            var result = IOResult.bytes(0)
            session.withOutput { output in
                result = socket.send(output)
                if case .bytes(let count) = result { return count }
                return 0
            }
            return result
        }

        /// Appends close_notify to the sealed bytes.
        /// - Returns: false if close_notify was sent before, or there is no established session.
        mutating func close() -> Bool {
            guard isEstablished, !isClosing else { return false }
            isClosing = true
            session.close()
            return true
        }
    }
}
