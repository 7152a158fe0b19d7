import ScanCluster
import ScanNetwork
import ScanSecurity

/// A look at all nodes that can be reached, without a job.
struct NodeSearch: Sendable {
    let nodes: RemoteNodes
    let membership: ClusterMembership?

    /// Looks, with these keys, at the nodes at these addresses and at those that the sources find.
    init(_ addresses: [SocketAddress], keys: KeyRing, sources: NodeSources) {
        nodes = RemoteNodes(addresses.map(\.description), keys: keys, systems: Systems(clock: EventLoop.shared))
        let all = sources.all
        membership =
            all.isEmpty
            ? nil : ClusterMembership(all, nodes: nodes, keys: keys, hasLocalSystem: false, onNews: { _ in })
    }

    /// Looks for so long; shorter if no node can come any more.
    /// - Returns: how it stands with each node that was named or found.
    func look(for limit: Duration) async -> [NodeState] {
        nodes.start()
        defer { nodes.close() }
        guard let membership else { return await nodes.settled() }
        let search = Task { await membership.run() }
        defer { search.cancel() }
        await membership.look(for: limit)
        if membership.isBlind { _ = await nodes.settled() }
        return await nodes.states
    }
}
