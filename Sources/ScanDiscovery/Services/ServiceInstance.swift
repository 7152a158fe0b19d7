/// One instance of the service, as discovered on one network interface.
public struct ServiceInstance: Hashable, Sendable {
    /// Announced name of the instance: any text up to 63 bytes, from an unauthenticated peer.
    public var name: String
    /// The DNS domain; `local.` for multicast DNS.
    public var domain: String
    /// Index of the interface on which it was discovered; 0 if it does not matter.
    public var interface: UInt32

    /// Creates an instance in a domain, by default that of multicast DNS.
    public init(name: String, domain: String = "local.", interface: UInt32 = 0) {
        self.name = name
        self.domain = domain
        self.interface = interface
    }
}

extension ServiceInstance: Comparable {
    /// Compares by name, then by interface.
    public static func < (left: ServiceInstance, right: ServiceInstance) -> Bool {
        (left.name, left.interface, left.domain) < (right.name, right.interface, right.domain)
    }
}

/// The host and port at which an instance is served, with its TXT record.
public struct ResolvedService: Hashable, Sendable {
    /// Host name, for ``ServiceDiscovery/addresses(of:interface:)``.
    public var host: String
    /// TCP port in host byte order.
    public var port: UInt16
    /// The announced TXT record.
    public var txt: TXTRecord

    /// Creates a result, by default with an empty record.
    public init(host: String, port: UInt16, txt: TXTRecord = TXTRecord()) {
        self.host = host
        self.port = port
        self.txt = txt
    }
}
