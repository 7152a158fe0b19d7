import Foundation
import ScanCluster
import ScanNetwork
import ScanSecurity
import ScanSlots
import ScanSockets
import ScanTestSupport

/// A server that is no proper node: it answers each connection with fixed bytes, in the clear or as one that holds the
/// key, and may close it then.
final class StrangeServer: Sendable {
    let address: String
    private let descriptor: Int32
    private let thread = ScanThreads(count: 1)
    private let accepted = Locked<[Int32]>([])
    private let received = Locked<[UInt8]>([])

    /// Sends `answer` at once, or after the peer's first bytes if it waits, and then closes or not. With keys, through
    /// TLS.
    init(answer: [UInt8], keys: KeyRing? = nil, waits: Bool = false, closes: Bool = false) throws {
        let listener = try Socket.listening(on: SocketAddress(host: "127.0.0.1", port: 0))
        address = "\(listener.localAddress)"
        descriptor = dup(listener.descriptor)
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
        let (descriptor, accepted, received) = (descriptor, accepted, received)
        thread.submit(
            ClosureWork(context: ScanContext()) { _ in
                // By who uses it: its number may be another socket's as soon as it is closed.
                defer { close(descriptor) }
                while true {
                    let peer = accept(descriptor, nil, nil)
                    if peer < 0 { return }
                    if let keys {
                        let secured = try? SecureSocket(peer, TLSSession(server: keys, at: .now))
                        let first = waits ? try? secured?.receive() : nil
                        received.withLock { $0 += first ?? [] }
                        try? secured?.send(answer)
                        if closes { close(peer) } else { accepted.withLock { $0.append(peer) } }
                        continue
                    }
                    if waits {
                        var buffer = [UInt8](repeating: 0, count: 4096)
                        let count = recv(peer, &buffer, buffer.count, 0)
                        received.withLock { $0 += buffer.prefix(max(0, count)) }
                    }
                    _ = send(peer, answer, answer.count, 0)
                    if closes { close(peer) } else { accepted.withLock { $0.append(peer) } }
                }
            })
    }

    /// The bytes that the last peer sent.
    var bytes: [UInt8] { received.withLock { $0 } }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        for peer in accepted.withLock({ $0 }) { close(peer) }
    }
}

/// A client that sends any bytes to a node.
struct StrangeClient {
    let descriptor: Int32

    init(_ address: String) throws {
        let target = try SocketAddress(parsing: address)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = target.port.bigEndian
        inet_pton(AF_INET, target.host, &raw.sin_addr)
        let status = withUnsafePointer(to: &raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { throw SocketError(operation: "connect", errno: errno) }
    }

    /// Shakes hands as one that holds the key.
    func secured(_ keys: KeyRing = testKeys) throws -> SecureSocket {
        try SecureSocket(descriptor, TLSSession(client: keys.current))
    }

    func send(_ bytes: [UInt8]) { _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Receives until the node closes. Blocks.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return all }
            all += buffer.prefix(count)
        }
    }

    /// Receives at least so many bytes. Blocks.
    func receive(atLeast wanted: Int) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count < wanted {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return all }
            all += buffer.prefix(count)
        }
        return all
    }

    /// Closes the sending side of the connection.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() { _ = Foundation.close(descriptor) }
}

/// The descriptors of this process.
enum Descriptors {
    /// How many are connections that were accepted at this port.
    static func accepted(at port: UInt16) -> Int {
        (0..<4096).count { descriptor in
            let here = RawAddress { getsockname(Int32(descriptor), $0, $1) }
            let there = RawAddress { getpeername(Int32(descriptor), $0, $1) }
            return here.family == AF_INET && there.family == AF_INET && here.address.port == port
        }
    }

    /// How many are connections with this port at either end.
    static func connected(to port: UInt16) -> Int {
        (0..<1024).count { descriptor in
            let ends = [
                RawAddress { getsockname(Int32(descriptor), $0, $1) },
                RawAddress { getpeername(Int32(descriptor), $0, $1) },
            ]
            return ends.allSatisfy { $0.family == AF_INET } && ends.contains { $0.address.port == port }
        }
    }
}
