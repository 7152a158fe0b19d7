import Foundation

/// Sockets of the loopback interface with a time-out of 10 s.
enum LoopbackSocket {
    struct Failure: Error { var errno: Int32 }

    static func make() throws -> Int32 {
        #if canImport(Glibc)
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard made >= 0 else { throw Failure(errno: errno) }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        limitTime(of: made)
        return made
    }

    static func limitTime(of socket: Int32) {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    static func connect(port: UInt16) throws -> Int32 {
        let made = try make()
        let connected = withAddress(port: port) { address, length, _ in Foundation.connect(made, address, length) == 0 }
        guard connected else { throw Failure(errno: errno) }
        return made
    }

    /// Calls `body` with the address of `port`, its length, and a closure that reads the port back.
    static func withAddress<Result>(
        port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t, () -> UInt16) throws -> Result
    ) rethrows -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, length) { UInt16(bigEndian: pointer.pointee.sin_port) }
            }
        }
    }
}

/// A listening socket on any port.
final class LoopbackListener {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
        let made = try LoopbackSocket.make()
        descriptor = made
        port = try LoopbackSocket.withAddress(port: 0) { address, length, port in
            var length = length
            guard bind(made, address, length) == 0, listen(made, 16) == 0, getsockname(made, address, &length) == 0
            else { throw LoopbackSocket.Failure(errno: errno) }
            return port()
        }
    }

    deinit { close(descriptor) }

    /// The next connection.
    func accept() throws -> Int32 {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Foundation.poll(&poll, 1, 10_000) == 1 else { throw LoopbackSocket.Failure(errno: ETIMEDOUT) }
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else { throw LoopbackSocket.Failure(errno: errno) }
        LoopbackSocket.limitTime(of: connection)
        return connection
    }
}
