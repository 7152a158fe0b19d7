public import ScanCluster
public import ScanSecurity

/// Nodes, and slots of this process, ready to run tasks.
///
/// ```swift
/// let farm = try await Farm(nodes: ["alpha:4711", "beta:4711"], keys: KeyStore.user().ring())
/// for try await response in farm.coordinator.responses(to: tasks) { print(try response.get()) }
/// ```
public final class Farm: Sendable {
    /// Runs jobs on everything the farm has.
    public let coordinator: ScanCoordinator
    /// The systems that are reachable now.
    public let systems: Systems
    /// The links to the nodes.
    public let nodes: RemoteNodes
    private let local: ScanSystem?

    /// Connects the nodes, and returns when each has joined or failed its first try. Those that failed are tried again
    /// while the farm lives.
    /// - Parameters:
    ///   - addresses: addresses of nodes, `HOST:PORT`.
    ///   - keys: the cluster keys of which a node must hold one.
    ///   - localSlots: scan threads of this process that take part; 0 for none.
    ///   - options: what jobs put up with.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    /// - Throws: `ScanError` of the first node that failed, if nothing is there to run a task.
    public init(
        nodes addresses: [String] = [], keys: KeyRing, localSlots: Int = 0, options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws {
        systems = Systems(clock: loop)
        nodes = RemoteNodes(addresses, keys: keys, systems: systems, options: remote, loop: loop)
        coordinator = ScanCoordinator(systems: systems, options: options, clock: loop, executor: loop)
        if localSlots > 0 {
            var generator = SystemRandomNumberGenerator()
            let local = ScanSystem(
                local: localSlots, id: SystemID(using: &generator), name: remote.name, clock: loop)
            systems.join(local)
            self.local = local
        } else {
            local = nil
        }
        nodes.start()
        let states = await nodes.settled()
        if localSlots == 0, !states.contains(where: { $0.status == .joined }) {
            nodes.close()
            for state in states {
                if case .failed(let error) = state.status { throw error }
            }
            throw ScanError(.noSystem, "there is nothing to run a task: give a node's address or local slots")
        }
    }

    /// Closes the connections and ends the local slots. Jobs under way lose their attempts.
    public func close() async {
        nodes.close()
        if let local {
            systems.leave(local.id)
            await local.close()
        }
    }
}
