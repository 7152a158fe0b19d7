import Foundation

/// Clients of a page's event stream, all on one thread.
final class EventStreamClients {
    private let done = DispatchSemaphore(value: 0)
    private let read: ByteCount

    /// Bytes read; accessed only by the thread until it signals its end.
    private final class ByteCount: @unchecked Sendable { var value = 0 }

    /// Connects to a page on this machine.
    init(count: Int, port: UInt16, token: String) throws {
        let sockets = try (0..<count).map { _ in try Self.connect(port, token) }
        let (done, read) = (done, ByteCount())
        self.read = read
        Thread.detachNewThread {
            Self.follow(sockets, read)
            done.signal()
        }
    }

    /// Waits for the end of the streams.
    /// - Returns: the bytes read by all clients.
    func finish() -> Int {
        done.wait()
        return read.value
    }

    private static func follow(_ sockets: [Int32], _ read: ByteCount) {
        var open = sockets
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while !open.isEmpty {
            var polls = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polls, nfds_t(polls.count), -1) > 0 else { continue }
            for ready in polls where ready.revents != 0 {
                let count = recv(ready.fd, &bytes, bytes.count, 0)
                read.value += max(0, count)
                if count <= 0 {
                    close(ready.fd)
                    open.removeAll { $0 == ready.fd }
                }
            }
        }
    }

    private static func connect(_ port: UInt16, _ token: String) throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = Array("GET /events?token=\(token) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard status == 0, send(descriptor, request, request.count, 0) == request.count else {
            throw BenchmarkError("a client cannot connect: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }
}
