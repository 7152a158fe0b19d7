import ScanCluster
import ScanNetwork
import ScanSecurity
import SkyScan

/// Nodes of this process that a coordinator reaches over loopback.
struct LoopbackCluster: Sendable {
    let servers: [NodeServer]
    let nodes: RemoteNodes
    let coordinator: ScanCoordinator

    /// Starts `count` nodes of one slot each, which are sent pixels in the form `packed`, and floats compressed as said.
    init(
        nodes count: Int, resolver: WindowResolver? = nil, options: NodeServer.Options = .init(),
        packed: String? = TaskTypes.sky.unpacker?.form, compression: LinkQueue.Use = .asMeasured
    ) async throws {
        let keys = KeyRing(current: try .random())
        servers = (0..<count).map {
            NodeServer(
                name: "node-\($0)", keys: keys, slots: 1, taskTypes: .sky, listen: "127.0.0.1:0", resolver: resolver,
                options: options)
        }
        let addresses = try servers.map { try $0.start().description }
        let systems = Systems(clock: EventLoop.shared)
        var remote = RemoteNodes.Options()
        remote.packed = packed
        remote.compression = compression
        nodes = RemoteNodes(addresses, keys: keys, systems: systems, options: remote)
        nodes.start()
        _ = await nodes.settled()
        coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
    }

    func close() {
        nodes.close()
        for server in servers { server.stop() }
    }
}
