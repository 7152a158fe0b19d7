#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Dispatch

/// Nodes that are known beforehand: a list of hosts and ports. Host names are looked up by the system's resolver.
public struct StaticDiscovery: ServiceDiscovery {
    /// A host and a port.
    public struct Entry: Hashable, Sendable {
        /// A host's name or numeric address, such as `fe80::1%eth0`.
        public var host: String
        /// TCP port in host byte order.
        public var port: UInt16

        /// Port `port` of `host`.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        var instance: ServiceInstance {
            ServiceInstance(name: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)", domain: "")
        }
    }

    /// The list.
    public let entries: [Entry]

    /// Discovery of these.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Fails: a list tells nobody.
    public func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream {
            $0.finish(throwing: DiscoveryError(.unsupported, "a list of nodes cannot announce this one"))
        }
    }

    /// The entries, all at once.
    public func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(.started)
            for entry in entries { continuation.yield(.added(entry.instance)) }
        }
    }

    /// Host and port of an entry.
    public func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        AsyncThrowingStream { continuation in
            guard let entry = entries.first(where: { $0.instance == instance }) else {
                continuation.finish(
                    throwing: DiscoveryError(.noAnswer, "'\(instance.name.printable)' is not in the list of nodes"))
                return
            }
            continuation.yield(ResolvedService(host: entry.host, port: entry.port))
        }
    }

    /// The addresses that the system's resolver knows, which may take it seconds.
    public func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        AsyncThrowingStream { continuation in
            if let address = HostAddress(host) {
                continuation.yield(address)
                continuation.finish()
                return
            }
            // getaddrinfo waits for the network: on a thread of Dispatch's, never on the cooperative pool.
            DispatchQueue(label: "skyfarm.discovery.resolver").async {
                let (addresses, failure) = Self.lookUp(host)
                for address in addresses { continuation.yield(address) }
                continuation.finish(throwing: failure)
            }
        }
    }

    private static func lookUp(_ host: String) -> ([HostAddress], DiscoveryError?) {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            let reason = String(cString: gai_strerror(status))
            return ([], DiscoveryError(.noAnswer, "no address of \(host.printable) is known: \(reason)"))
        }
        defer { freeaddrinfo(first) }
        return (sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { $0.flatMap(address) }, nil)
    }

    private static func address(_ info: UnsafeMutablePointer<addrinfo>) -> HostAddress? {
        guard let address = info.pointee.ai_addr else { return nil }
        let raw = UnsafeRawPointer(address)
        switch info.pointee.ai_family {
        case AF_INET:
            return HostAddress(bytes: withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            let six = raw.load(as: sockaddr_in6.self)
            return HostAddress(
                bytes: withUnsafeBytes(of: six.sin6_addr) { Array($0) }, interface: six.sin6_scope_id)
        default:
            return nil
        }
    }
}
