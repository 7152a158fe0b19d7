import ScanCluster
package import ScanNetwork

extension ScanNode {
    /// Waits until the peers whose addresses were given have joined or failed, and, if sources of announcements work,
    /// until there is a system or `limit` has passed.
    /// - Throws: if there is no system, the `ConnectError` of the first peer that failed, or `ScanError` if none did.
    package func ready(within limit: Duration) async throws {
        if membership.isOff { _ = await connections.settled() }
        if local != nil { return }
        if !membership.isOff { _ = await systems.first(within: limit) }
        if !systems.snapshot.isEmpty { return }
        let states = await connections.settled()
        if states.contains(where: { $0.status == .joined }) { return }
        for state in states {
            if case .failed(let error) = state.status { throw error }
        }
        throw ScanError(.noSystem, "no system can run a task: start a node, give its address, or use local slots")
    }

    /// Checks that one of the peers whose addresses were given has joined, if there are any.
    /// - Throws: the `ConnectError` of the first of them.
    package func checkNamed() async throws {
        let states = await connections.settled()
        if states.contains(where: { $0.status == .joined }) { return }
        for state in states {
            if case .failed(let error) = state.status { throw error }
        }
    }

    /// Waits `limit` for peers to be discovered; less if none can be discovered.
    /// - Returns: the state of each connection.
    package func discover(for limit: Duration) async -> [NodeState] {
        if membership.isOff { return await connections.settled() }
        await membership.wait(for: limit)
        if membership.isUnavailable { _ = await connections.settled() }
        return await connections.states
    }
}
