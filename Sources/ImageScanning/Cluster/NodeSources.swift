package import ScanDiscovery

/// The sources from which nodes are discovered.
package struct NodeSources: Sendable {
    /// Whether to use DNS-SD on the local network, the file of nodes started by `skyfarm up`, and what the node that runs
    /// this job knows.
    package var discovers: Bool
    /// DNS names whose SRV records are queried.
    package var srv: [String]

    package init(discovers: Bool, srv: [String]) {
        self.discovers = discovers
        self.srv = srv
    }

    package var all: [any ServiceDiscovery] {
        var local: [any ServiceDiscovery] = []
        if discovers {
            if let known = SubmittedRun.current?.known { local.append(known) }
            local.append(DNSServiceDiscovery())
            if let started = FleetDiscovery() { local.append(started) }
        }
        return local + srv.map { SRVDiscovery($0) }
    }
}
