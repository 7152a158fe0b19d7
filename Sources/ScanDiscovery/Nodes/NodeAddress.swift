#if canImport(Glibc)
    public import Glibc
#elseif canImport(Darwin)
    public import Darwin
#endif

/// An address and a port where a node may be reached.
public struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP address.
    public var host: HostAddress
    /// TCP port in host byte order.
    public var port: UInt16

    /// Port `port` of `host`.
    public init(host: HostAddress, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `10.0.0.1:4000` or `[fe80::1%eth0]:4000`.
    public var description: String { host.isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Calls `body` with the address as the socket calls take it; the pointer is valid only inside `body`.
    public func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { host.isIPv6 ? writeSix(into: $0) : writeFour(into: $0) }
        return try withUnsafePointer(to: &storage) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, length) }
        }
    }

    private func writeFour(into storage: UnsafeMutableRawBufferPointer) -> socklen_t {
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: host.bytes) }
        withUnsafeBytes(of: address) { storage.copyBytes(from: $0) }
        return socklen_t(MemoryLayout<sockaddr_in>.size)
    }

    private func writeSix(into storage: UnsafeMutableRawBufferPointer) -> socklen_t {
        var address = sockaddr_in6()
        #if canImport(Darwin)
            address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
        #endif
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = host.scope
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: host.bytes) }
        withUnsafeBytes(of: address) { storage.copyBytes(from: $0) }
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
}

extension NodeAddress: Comparable {
    /// Orders by promise: IPv4, then IPv6, then what means something on one link only, loopback last.
    public static func < (left: NodeAddress, right: NodeAddress) -> Bool {
        let (first, second) = (left.rank, right.rank)
        if first != second { return first < second }
        if left.host.bytes != right.host.bytes { return left.host.bytes.lexicographicallyPrecedes(right.host.bytes) }
        return (left.host.scope, left.port) < (right.host.scope, right.port)
    }

    private var rank: Int {
        if host.isLoopback { return 4 }
        return (host.isLinkLocal ? 2 : 0) + (host.isIPv6 ? 1 : 0)
    }
}
