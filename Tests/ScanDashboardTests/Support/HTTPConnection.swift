import ScanCluster
import Foundation
import ScanNetwork

/// A connection to a server, byte by byte. Reading ends with a failure after some seconds.
final class HTTPConnection {
    let descriptor: Int32
    private(set) var received: [UInt8] = []

    struct Failure: Error, CustomStringConvertible { var description: String }

    /// Connects to a server on this machine; `receiveBuffer` bounds what the system takes in for a reader that does not
    /// read.
    init(_ address: SocketAddress, receiveBuffer: Int32? = nil) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = address.port.bigEndian
        target.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Sends bytes; false if the peer has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Reads until the text holds `words`, or to the end of the stream.
    func read(until words: String? = nil) throws -> String {
        while words.map({ !text.contains($0) }) ?? true {
            guard try readSome() else { break }
        }
        return text
    }

    /// Reads the next bytes; false at the end of the stream.
    func readSome() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0, errno != ECONNRESET {
            throw Failure(description: "nothing more came after: \(text.suffix(300))")
        }
        received += bytes.prefix(max(0, count))
        return count > 0
    }
}

/// A complete HTTP response.
struct HTTPReply {
    var status: Int
    var headers: [String: String]
    var body: String

    init(_ text: String) {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        headers = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
        }
        body = parts.count > 1 ? String(parts[1]) : ""
    }

    /// The response to a request.
    init(
        to path: String, at address: SocketAddress, method: String = "GET", host: String = "127.0.0.1",
        headers: [String] = []
    ) throws {
        let connection = try HTTPConnection(address)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + headers
        connection.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
        self.init(try connection.read())
    }
}
