/// One instance of the service, as discovered on one network interface.
public struct ServiceInstance: Hashable, Sendable {
    /// The instance's name as announced: any text up to 63 bytes, from an unauthenticated peer.
    public var name: String
    /// The domain, `local.` for multicast.
    public var domain: String
    /// Number of the interface on which it was discovered; 0 if that does not matter.
    public var interface: UInt32

    /// The instance `name` in `domain` on `interface`.
    public init(name: String, domain: String = "local.", interface: UInt32 = 0) {
        self.name = name
        self.domain = domain
        self.interface = interface
    }
}

extension ServiceInstance: Comparable {
    /// Orders by name, then by interface.
    public static func < (left: ServiceInstance, right: ServiceInstance) -> Bool {
        (left.name, left.interface, left.domain) < (right.name, right.interface, right.domain)
    }
}

/// Where an instance is served.
public struct ResolvedService: Hashable, Sendable {
    /// The host's name, for ``ServiceDiscovery/addresses(of:interface:)``.
    public var host: String
    /// TCP port in host byte order.
    public var port: UInt16
    /// The facts that the instance announces about itself.
    public var txt: TXTRecord

    /// An instance served at `port` of `host`.
    public init(host: String, port: UInt16, txt: TXTRecord = TXTRecord()) {
        self.host = host
        self.port = port
        self.txt = txt
    }
}
