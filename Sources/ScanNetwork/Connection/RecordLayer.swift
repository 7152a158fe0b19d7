#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What came of a call that moves bytes.
enum IOResult {
    case bytes(Int)
    case wouldBlock
    case ended
    case failed(SocketError)
}

/// Moves bytes between a socket and the frames, and may change them on the way: the place for encryption.
protocol RecordLayer {
    mutating func receive(from socket: Socket, into space: UnsafeMutableRawBufferPointer) -> IOResult
    mutating func send(_ pieces: UnsafeBufferPointer<iovec>, to socket: Socket) -> IOResult
}

/// Bytes as they are.
struct PlainRecords: RecordLayer {
    func receive(from socket: Socket, into space: UnsafeMutableRawBufferPointer) -> IOResult {
        let count = recv(socket.descriptor, space.baseAddress, space.count, 0)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .ended }
        return failure("receive")
    }

    func send(_ pieces: UnsafeBufferPointer<iovec>, to socket: Socket) -> IOResult {
        let count = writev(socket.descriptor, pieces.baseAddress, Int32(pieces.count))
        return count >= 0 ? .bytes(count) : failure("send")
    }

    private func failure(_ operation: String) -> IOResult {
        switch errno {
        case EAGAIN, EINTR: .wouldBlock
        case ECONNRESET, EPIPE: .ended
        default: .failed(SocketError(operation: operation, errno: errno))
        }
    }
}
