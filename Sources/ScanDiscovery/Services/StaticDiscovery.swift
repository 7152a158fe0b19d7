public import ScanBasics

/// Nodes known in advance: a list of hosts and ports. Host names are looked up by the system's resolver.
public struct StaticDiscovery: ServiceDiscovery {
    /// The listed nodes; a host is a name or a numeric address, such as `fe80::1%eth0`.
    public let entries: [SocketAddress]

    /// Creates a source for a list of nodes.
    public init(_ entries: [SocketAddress]) { self.entries = entries }

    /// Throws ``DiscoveryError`` with code `unsupported`: a list announces nothing.
    public func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream {
            $0.finish(throwing: DiscoveryError(.unsupported, "a list of nodes cannot announce this one"))
        }
    }

    /// Reports all entries at once.
    public func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(.started)
            for entry in entries { continuation.yield(.added(instance(entry))) }
        }
    }

    /// Returns host and port of an entry.
    public func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        AsyncThrowingStream { continuation in
            guard let entry = entries.first(where: { self.instance($0) == instance }) else {
                continuation.finish(
                    throwing: DiscoveryError(.noAnswer, "'\(instance.name.printable)' is not in the list of nodes"))
                return
            }
            continuation.yield(ResolvedService(host: entry.host, port: entry.port))
        }
    }

    /// Returns the addresses found by the system's resolver, which may take seconds.
    public func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        SystemResolver.addresses(of: host)
    }

    private func instance(_ entry: SocketAddress) -> ServiceInstance {
        ServiceInstance(name: entry.description, domain: "")
    }
}
