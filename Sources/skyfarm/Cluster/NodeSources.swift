import ScanDiscovery

/// Where nodes are discovered.
struct NodeSources: Sendable {
    /// On the local network, by DNS-SD, and in the file of those that `skyfarm up` has started.
    var discovers: Bool
    /// Names of SRV records in DNS.
    var srv: [String]

    var all: [any ServiceDiscovery] {
        let started = discovers ? FleetFile()?.nodes.map(\.address) ?? [] : []
        let local: [any ServiceDiscovery] = discovers ? [DNSServiceDiscovery()] : []
        return local + (started.isEmpty ? [] : [StaticDiscovery(started)]) + srv.map { SRVDiscovery($0) }
    }
}
