#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The outcome of a call that moves bytes.
package enum IOResult {
    case bytes(Int)
    case wouldBlock
    case ended
    case failed(SocketError)
}

extension Socket {
    /// Receives the available bytes, at most as many as `space` holds.
    package func receive(into space: UnsafeMutableRawBufferPointer) -> IOResult {
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 { return .bytes(count) }
        return count == 0 ? .ended : Self.failure("receive")
    }

    /// Sends as many of the bytes as the system accepts now.
    package func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        let count = write(descriptor, bytes.baseAddress, bytes.count)
        return count >= 0 ? .bytes(count) : Self.failure("send")
    }

    private static func failure(_ operation: String) -> IOResult {
        switch errno {
        case EAGAIN, EINTR: .wouldBlock
        case ECONNRESET, EPIPE: .ended
        default: .failed(SocketError(operation: operation, errno: errno))
        }
    }
}
