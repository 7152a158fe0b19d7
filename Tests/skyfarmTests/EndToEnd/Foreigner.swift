import Foundation
import ScanSecurity
import ScanTestSupport

/// A server on loopback that is no node: it sends given bytes, or forwards a node's bytes for a while.
final class Foreigner: @unchecked Sendable {
    // Sendable: all is set up in `init`; the descriptors are shut down once, in `close`.

    /// What it does with a connection.
    enum Manner: Sendable {
        /// Sends these bytes at once, and then listens for ever.
        case greets([UInt8])
        /// Sends these bytes when it has been sent some, and closes.
        case answers([UInt8])
        /// Proves that it holds the key, and sends these bytes.
        case member([UInt8], KeyRing)
        /// Sends nothing.
        case silent
        /// Passes bytes on between the peer and `port`; both connections end when the peer has sent so many.
        case passes(port: UInt16, bytes: Int)
        /// Proves both ways that it holds the key, and passes frames on between the peer and `port` as `change` leaves
        /// them.
        case relays(port: UInt16, KeyRing, change: Relay.Change)
    }

    let address: String
    private let listener: Int32
    private let manner: Manner

    init(_ manner: Manner) throws {
        self.manner = manner
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var name = Self.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutableBytes(of: &name) { bytes -> UInt16? in
            guard let raw = bytes.baseAddress else { return nil }
            let pointer = raw.assumingMemoryBound(to: sockaddr.self)
            guard bind(listener, pointer, size) == 0, listen(listener, 16) == 0,
                getsockname(listener, pointer, &size) == 0
            else { return nil }
            return raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port.bigEndian
        }
        guard let port else { throw Program.Failure(description: "no listener: \(String(cString: strerror(errno)))") }
        address = "127.0.0.1:\(port)"
        Thread.detachNewThread { [self] in serve() }
    }

    /// Ends the listener; the thread of each connection ends with its peer.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let peer = accept(listener, nil, nil)
            if peer < 0, errno == EINTR || errno == ECONNABORTED { continue }
            if peer < 0 { break }
            Thread.detachNewThread { [manner] in
                Self.treat(peer, manner)
                Foundation.close(peer)
            }
        }
        Foundation.close(listener)
    }

    private static func treat(_ peer: Int32, _ manner: Manner) {
        switch manner {
        case .greets(let bytes):
            send(bytes[...], to: peer)
            while receive(from: peer) != nil {}
        case .answers(let bytes):
            if receive(from: peer) != nil { send(bytes[...], to: peer) }
        case .member(let bytes, let keys):
            guard let session = try? TLSSession(server: keys, at: .now), let member = try? SecureSocket(peer, session)
            else { return }
            try? member.send(bytes)
            while receive(from: peer) != nil {}
        case .silent:
            while receive(from: peer) != nil {}
        case .passes(let port, let limit):
            pass(peer, port, limit)
        case .relays(let port, let keys, let change):
            guard let node = connected(to: port) else { return }
            try? Relay.run(between: peer, and: node, keys, change)
            Foundation.close(node)
        }
    }

    private static func connected(to port: UInt16) -> Int32? {
        let node = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = loopback(port: port)
        let isConnected = withUnsafeBytes(of: &name) { bytes in
            bytes.baseAddress.map {
                connect(node, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            } ?? false
        }
        if isConnected { return node }
        Foundation.close(node)
        return nil
    }

    private static func pass(_ peer: Int32, _ port: UInt16, _ limit: Int) {
        guard let node = connected(to: port) else { return }
        let back = DispatchGroup()
        back.enter()
        Thread.detachNewThread {
            while let bytes = receive(from: node), send(bytes, to: peer) {}
            back.leave()
        }
        var left = limit
        while left > 0, let bytes = receive(from: peer), send(bytes.prefix(left), to: node) { left -= bytes.count }
        shutdown(node, Int32(SHUT_RDWR))
        shutdown(peer, Int32(SHUT_RDWR))
        back.wait()
        Foundation.close(node)
    }

    private static func receive(from descriptor: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? bytes[..<count] : nil
    }

    @discardableResult
    private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return name
    }
}
