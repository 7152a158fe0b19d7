import Console
import ImageScanning
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// Runs tasks on the nodes whose owners give a program, or a Python module, away: what `skyfarm map` and `skyfarm call` share.
struct GivenWork {
    /// Name of the type of the tasks.
    let taskType: String
    let cluster: ClusterOptions
    /// Slots of this process that do tasks, and the tags of what it gives away itself.
    let local: (slots: Int, tags: Set<String>)
    let maxAttempts: Int
    /// Whether a slow task is run a second time on an idle system.
    var hedges = ScanCoordinator.Options().hedges
    /// The error if no system can run the tasks, which tells what to do.
    let lack: String

    /// Connects the nodes, calls `body`, and disconnects them.
    /// - Returns: how nodes got the bulk bytes of the tasks.
    /// - Throws: what `body` throws; `ConnectError` or `ScanError` with ``lack`` if no system can run the tasks; `KeyError`
    ///   if nodes are needed and no usable key exists.
    @discardableResult
    func run(
        page: RunPage, _ events: ScanEvents, _ body: (ScanCoordinator) async throws -> Void
    ) async throws -> BulkTraffic {
        var remote = RemoteNodes.Options()
        remote.taskTypes = [taskType]
        remote.measuresLinks = local.slots > 0
        // The time of a task is limited where it runs: nothing is known of it here.
        var limits = ScanCoordinator.Options(
            maxAttempts: maxAttempts, waitForSystems: .seconds(cluster.waitSeconds), adaptiveTimeout: nil)
        limits.hedges = hedges
        let node = try ScanNode.started(
            cluster, remote: remote, local: local, limits: limits, page: page.page, events: events)
        defer { node.disconnect() }
        if local.slots == 0 { _ = await node.systems.first(within: .seconds(cluster.waitSeconds)) }
        do {
            try await body(node.coordinator)
        } catch let error as ScanError where error.code == .noSystem {
            throw await unusable(node)
        }
        await node.close()
        return node.connections.traffic
    }

    /// The error that names what is wrong with the nodes that are known.
    private func unusable(_ node: ScanNode) async -> any Error {
        let states = await node.connections.states.filter { !$0.isUsable }
        let nodes = UnusableNodes(states, discovered: node.membership.peers)
        let words = nodes.isEmpty ? lack : lack + " (\(nodes.troubles.joined(separator: "; ")))"
        return nodes.lackKey ? ConnectError(.authentication, words) : ScanError(.noSystem, words)
    }
}
