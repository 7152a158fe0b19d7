internal import Dispatch
internal import Foundation
internal import ScanBasics

/// An XML-RPC server that is called over HTTP.
package struct XMLRPCServer: Equatable, Sendable {
    package let host: String
    package let port: UInt16
    package let path: String

    /// Parses a URL such as `http://127.0.0.1:21012/xmlrpc`; nil if its scheme is not HTTP.
    package init?(url: String) {
        guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host, !host.isEmpty,
            let port = UInt16(exactly: parts.port ?? 80)
        else { return nil }
        // An IPv6 address has brackets in a URL.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    }

    /// Calls a method, and waits at most `seconds` for the connection and as long for the whole response. Does not
    /// block the caller's thread. If the task is cancelled, the connection is closed.
    /// - Throws: ``SAMPError``; `CancellationError`.
    package func call(_ method: String, _ parameters: [XMLRPCValue], seconds: Int) async throws -> XMLRPCValue {
        let body = XMLRPCValue.call(method, parameters)
        let name = host.contains(":") ? "[\(host)]" : host
        let head =
            "POST \(path) HTTP/1.0\r\nHost: \(name):\(port)\r\nUser-Agent: skyfarm\r\nContent-Type: text/xml\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        let exchange = Exchange()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            let reply = try exchange.run(
                                Array((head + body).utf8), host: host, port: port, seconds: seconds)
                            return try XMLRPCReader.value(of: try reply.body())
                        })
                }
            }
        } onCancel: {
            exchange.cancel()
        }
    }
}

/// A request and its response over a connection of their own.
private final class Exchange: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Cancels an exchange that is in progress or has not begun.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func run(_ request: [UInt8], host: String, port: UInt16, seconds: Int) throws -> HTTPReply {
        let descriptor = try connected(host: host, port: port, seconds: seconds)
        let isCancelled = state.withLock { state in
            state.descriptor = descriptor
            return state.isCancelled
        }
        defer {
            state.withLock { $0.descriptor = -1 }
            close(descriptor)
        }
        if isCancelled { throw CancellationError() }
        do {
            let end = ContinuousClock.now + .seconds(seconds)
            try send(request, to: descriptor)
            return try receive(from: descriptor, until: end, seconds: seconds)
        } catch {
            if state.withLock(\.isCancelled) { throw CancellationError() }
            throw error
        }
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) throws(SAMPError) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("send") }
            start += count
        }
    }

    private func receive(
        from descriptor: Int32, until end: ContinuousClock.Instant, seconds: Int
    ) throws(SAMPError) -> HTTPReply {
        var reply = HTTPReply()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // A hub that sends single bytes from time to time never exceeds the time limit of a read.
            guard ContinuousClock.now < end else {
                throw SAMPError(.unreachable, "no complete answer within \(seconds) s")
            }
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { throw SAMPError(.unreachable, "no answer within \(seconds) s") }
            guard count >= 0 else { throw Self.failure("receive") }
            if count == 0 { return reply }
            if try reply.receive(piece[..<count]) { return reply }
        }
    }

    /// Connects to the first address of the host that accepts.
    private func connected(host: String, port: UInt16, seconds: Int) throws(SAMPError) -> Int32 {
        var hints = streamSocketHints()
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0, let list else {
            throw SAMPError(.unreachable, "\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var failure = SAMPError(.unreachable, "\(host): no address")
        for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
            let descriptor = socket(entry.pointee.ai_family, entry.pointee.ai_socktype, 0)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            limitTime(ofSocket: descriptor, seconds: seconds)
            if connect(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 { return descriptor }
            failure = Self.failure("connect to \(host):\(port)")
            close(descriptor)
        }
        throw failure
    }

    private static func failure(_ operation: String) -> SAMPError {
        SAMPError(.unreachable, "cannot \(operation): \(String(cString: strerror(errno)).lowercased())")
    }
}
