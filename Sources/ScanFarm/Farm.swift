public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// A coordinator with its connections to nodes and its own slots, ready to run tasks: a ``ScanNode`` that does not
/// serve.
///
/// ```swift
/// let farm = try await Farm(keys: KeyStore.user().ring())
/// for try await response in farm.coordinator.responses(to: tasks) { print(try response.get()) }
/// ```
public final class Farm: Sendable {
    /// The node of this process.
    public let node: ScanNode

    /// Runs tasks on all systems of the farm.
    public var coordinator: ScanCoordinator { node.coordinator }
    /// The systems that are reachable now, and the peers that are known.
    public var systems: Systems { node.systems }
    /// The connections to the nodes.
    public var nodes: RemoteNodes { node.connections }

    /// Discovers nodes and connects them, and returns when there is a system that can run a task. Nodes join and leave
    /// until the farm is closed.
    /// - Parameters:
    ///   - sources: where nodes are looked for; DNS-SD by default.
    ///   - keys: the cluster keys of which a node must hold one.
    ///   - localSlots: scan threads of this process that take part; 0 for none.
    ///   - wait: longest time until the first node joins.
    ///   - options: limits of a scan.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    /// - Throws: `ScanError` if there is no system that can run a task.
    public convenience init(
        discovering sources: [any ServiceDiscovery] = [DNSServiceDiscovery()], keys: KeyRing, localSlots: Int = 0,
        wait: Duration = .seconds(5), options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws {
        let node = ScanNode(
            keys: keys, discovering: sources, localSlots: localSlots, options: options, remote: remote, loop: loop)
        try await self.init(node, within: wait)
    }

    /// Connects nodes, and returns when each has joined or its first attempt has failed. Those that failed are dialled
    /// again until the farm is closed.
    /// - Parameters:
    ///   - addresses: addresses of nodes, `HOST:PORT`.
    ///   - keys: the cluster keys of which a node must hold one.
    ///   - localSlots: scan threads of this process that take part; 0 for none.
    ///   - options: limits of a scan.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    /// - Throws: `ScanError` of the first node that failed, if there is no system that can run a task.
    public convenience init(
        nodes addresses: [String], keys: KeyRing, localSlots: Int = 0, options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws {
        let node = ScanNode(
            keys: keys, nodes: addresses, discovering: [], localSlots: localSlots, options: options, remote: remote,
            loop: loop)
        try await self.init(node, within: .zero)
    }

    private init(_ node: ScanNode, within limit: Duration) async throws {
        self.node = node
        try node.start()
        do {
            try await node.ready(within: limit)
        } catch {
            await node.close()
            throw error
        }
    }

    /// Closes the connections and ends the local slots. Scans under way lose their attempts.
    public func close() async { await node.close() }
}
