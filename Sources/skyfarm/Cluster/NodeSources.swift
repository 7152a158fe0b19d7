import ScanDiscovery

/// Where nodes are discovered.
struct NodeSources: Sendable {
    /// On the local network, by DNS-SD, and in the file of those that `skyfarm up` has started.
    var discovers: Bool
    /// Names of SRV records in DNS.
    var srv: [String]

    var all: [any ServiceDiscovery] {
        var local: [any ServiceDiscovery] = []
        if discovers {
            local.append(DNSServiceDiscovery())
            if let started = FleetDiscovery() { local.append(started) }
        }
        return local + srv.map { SRVDiscovery($0) }
    }
}
