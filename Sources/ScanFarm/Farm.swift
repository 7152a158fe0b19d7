public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// A coordinator with its connections to nodes and its own slots, ready to run tasks: a ``ScanNode`` that does not
/// serve. `withFarm` closes it by itself.
///
/// ```swift
/// let farm = try await Farm(running: PrimeCount.self)
/// for try await response in farm.responses(to: tasks) { print(try response.get()) }
/// await farm.close()
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

    /// Connects nodes, those at addresses and those that are discovered. Nodes join and leave until the farm is closed;
    /// those at addresses are dialled again after a failure.
    ///
    /// Returns when the first attempt to connect each address has ended and, if nodes are looked for, when there is a
    /// system that can run a task.
    /// - Parameters:
    ///   - types: the types of task that a node must know to be used, as in `running: PrimeCount.self`. A node that does
    ///     not know one of them is not used, and ``unusableNodes`` has the reason. Without them, the first task that a
    ///     node declines shows that it does not know the type.
    ///   - addresses: addresses of nodes, `HOST:PORT`.
    ///   - sources: where nodes are looked for; by default DNS-SD if no address is given, and nowhere otherwise.
    ///   - keys: the cluster keys of which a node must hold one; by default those of this user, see `KeyStore.user()`.
    ///   - localSlots: scan threads of this process that take part; 0 for none.
    ///   - localTags: what this process has that tasks may need, see `ScanTask.requiredTags`.
    ///   - wait: longest time until the first discovered node joins.
    ///   - options: limits of a scan.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    /// - Throws: the `ConnectError` of the first node which cannot be used, or `ScanError` if there is none;
    ///   `KeyError` if the user's keys cannot be used.
    public init<each Work: ScanTask>(
        running types: repeat (each Work).Type, nodes addresses: [String] = [],
        discovering sources: [any ServiceDiscovery]? = nil, keys: KeyRing? = nil, localSlots: Int = 0,
        localTags: Set<String> = [], wait: Duration = .seconds(5), options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws {
        var remote = remote
        repeat remote.scanners.append((each Work).scanner)
        node = ScanNode(
            keys: try keys ?? KeyStore.user().ring(), nodes: addresses,
            discovering: sources ?? (addresses.isEmpty ? [DNSServiceDiscovery()] : []), localSlots: localSlots,
            localTags: localTags, options: options, remote: remote, loop: loop)
        try node.start()
        do {
            try await node.ready(within: wait)
        } catch {
            await node.close()
            throw error
        }
    }

    /// Why nodes that were named or discovered are not used at present, such as one that does not know a type of task.
    public var unusableNodes: [ConnectError] {
        get async {
            await nodes.states.compactMap { state in
                if case .failed(let error) = state.status { error } else { nil }
            }
        }
    }

    /// Runs `tasks` on all systems of the farm: see `ScanCoordinator.responses(to:bulk:observer:)`.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, bulk: (@Sendable (Work) -> BulkSource?)? = nil,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        coordinator.responses(to: tasks, bulk: bulk, observer: observer)
    }

    /// Closes the connections and ends the local slots. Scans under way lose their attempts.
    public func close() async { await node.close() }
}
