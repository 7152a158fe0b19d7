import ScanDiscovery

/// Where nodes are discovered.
struct NodeSources: Sendable {
    /// On the local network, by DNS-SD.
    var discovers: Bool
    /// Names of SRV records in DNS.
    var srv: [String]

    var all: [any ServiceDiscovery] {
        let local: [any ServiceDiscovery] = discovers ? [DNSServiceDiscovery()] : []
        return local + srv.map { SRVDiscovery($0) }
    }
}
