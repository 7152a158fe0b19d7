package import ScanDiscovery

/// Where nodes are discovered.
package struct NodeSources: Sendable {
    /// On the local network, by DNS-SD, and in the file of those that `skyfarm up` has started.
    package var discovers: Bool
    /// Names of SRV records in DNS.
    package var srv: [String]

    package init(discovers: Bool, srv: [String]) {
        self.discovers = discovers
        self.srv = srv
    }

    package var all: [any ServiceDiscovery] {
        var local: [any ServiceDiscovery] = []
        if discovers {
            local.append(DNSServiceDiscovery())
            if let started = FleetDiscovery() { local.append(started) }
        }
        return local + srv.map { SRVDiscovery($0) }
    }
}
