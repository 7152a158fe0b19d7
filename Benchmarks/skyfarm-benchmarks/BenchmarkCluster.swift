import ScanCluster
import ScanNetwork
import ScanSecurity

/// A coordinator with its systems: local, or nodes in child processes.
struct BenchmarkCluster {
    let systems: Systems
    let nodes: RemoteNodes
    let coordinator: ScanCoordinator

    /// Connects to the nodes and waits until all have joined. `packed`: the form in which pixels are packed for them.
    /// `compresses`: whether floats are compressed over a slow link.
    /// - Throws: ``BenchmarkError`` if one does not join.
    init(
        localSlots: Int = 0, nodes: [ChildProcess] = [], depth: Int? = nil, packed: String? = nil,
        compresses: Bool = true, sessions: SessionMaker = .tls
    ) async throws {
        let loop = EventLoop.shared
        let systems = Systems(clock: loop)
        if localSlots > 0 {
            var generator = SystemRandomNumberGenerator()
            systems.join(
                ScanSystem(local: localSlots, id: SystemID(using: &generator), name: "local", clock: loop))
        }
        var options = RemoteNodes.Options()
        options.depth = depth
        options.packed = packed
        if !compresses { options.compression = .never }
        options.sessions = sessions
        let remotes = RemoteNodes(
            nodes.map(\.address), keys: try KeyStore.user().ring(), systems: systems,
            options: options)
        remotes.start()
        for state in await remotes.settled() where state.status != .joined {
            throw BenchmarkError("\(state.address): \(state.status)")
        }
        self.systems = systems
        self.nodes = remotes
        coordinator = ScanCoordinator(systems: systems, clock: loop, executor: loop)
    }

    func close() { nodes.close() }
}
