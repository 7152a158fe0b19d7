import Foundation
package import ScanSecurity

/// A TLS session over a socket that blocks: the far end of a connection, which holds the key but may send anything.
package final class SecureSocket {
    private let descriptor: Int32
    private let session: TLSSession

    /// Performs the handshake; the caller keeps the ownership of the socket.
    /// - Throws: `TLSError`, after the peer got the alert.
    package init(_ descriptor: Int32, _ session: TLSSession) throws(TLSError) {
        self.descriptor = descriptor
        self.session = session
        defer { flush() }
        while session.phase == .handshaking {
            flush()
            try receiveCiphertext()
        }
    }

    /// Sends bytes; it is no error if the peer does not read them.
    package func send(_ bytes: [UInt8]) throws(TLSError) {
        let outcome = bytes.withUnsafeBytes { bytes in Result { () throws(TLSError) in try session.seal(bytes) } }
        try outcome.get()
        flush()
    }

    /// Receives some bytes; none at the end.
    package func receive() throws(TLSError) -> [UInt8] {
        while true {
            let bytes = try receiveWaiting()
            if !bytes.isEmpty || session.phase == .closed { return bytes }
            try receiveCiphertext()
        }
    }

    /// Bytes that were received together with earlier ones; none if the socket must be read.
    package func receiveWaiting() throws(TLSError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let outcome = buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(TLSError) in try session.read(into: bytes) }
        }
        return Array(buffer[..<(try outcome.get())])
    }

    /// Sends close_notify; nothing can be sent after it.
    package func close() {
        session.close()
        flush()
    }

    private func receiveCiphertext() throws(TLSError) {
        let space = session.space()
        var count = 0
        repeat { count = recv(descriptor, space.baseAddress, space.count, 0) } while count < 0 && errno == EINTR
        if count > 0 { try session.received(count) } else { try session.receiveEnd() }
    }

    private func flush() {
        while session.outputCount > 0 {
            var count = 0
            session.withOutput { output in
                count = Foundation.send(descriptor, output.baseAddress, output.count, Int32(MSG_NOSIGNAL))
                return max(0, count)
            }
            if count <= 0 { return }
        }
    }
}
