import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork

/// The systems that a command uses: the local one, the nodes that were named, and those that are found.
struct ScanFarm: Sendable {
    let systems: Systems
    let nodes: RemoteNodes
    let coordinator: ScanCoordinator
    let events: ScanEvents
    private let local: ScanSystem?
    private let membership: ClusterMembership?
    private let search: Task<Void, Never>?
    private let waitSeconds: Double

    /// Looks for nodes from now on; ``join()`` connects them. `timeout` and `maxAttempts` are what its coordinator's
    /// jobs put up with.
    init(_ cluster: ClusterOptions, timeout: Duration? = nil, maxAttempts: Int = 3, events: ScanEvents) {
        let loop = EventLoop.shared
        systems = Systems(clock: loop)
        nodes = RemoteNodes(cluster.nodes.map(\.description), systems: systems)
        let slots = cluster.localSlots ?? ProcessInfo.processInfo.activeProcessorCount
        var generator = SystemRandomNumberGenerator()
        local =
            slots == 0
            ? nil
            : ScanSystem(local: slots, id: SystemID(using: &generator), name: ScanEvents.localName, clock: loop)
        coordinator = ScanCoordinator(
            systems: systems,
            options: .init(
                timeout: timeout, maxAttempts: maxAttempts, waitForSystems: .seconds(cluster.waitSeconds)),
            clock: loop, executor: loop)
        waitSeconds = cluster.waitSeconds
        self.events = events
        let sources = NodeSources(discovers: cluster.discovers, srv: cluster.srv).all
        let membership = ClusterMembership(
            sources, nodes: nodes, hasLocalSystem: local != nil, onNews: events.handle)
        self.membership = sources.isEmpty ? nil : membership
        search = sources.isEmpty ? nil : Task { await membership.run() }
    }

    /// Connects to the nodes; with a local system the scan need not wait for them, and they join as they come.
    /// - Throws: ``ScanError/Code/noSystem`` if there is nobody to do the work.
    func join() async throws {
        if let local { systems.join(local) }
        nodes.start()
        if local != nil {
            Task { [nodes, events] in events.report(await nodes.settled()) }
            return
        }
        if membership == nil { return try await joinNamed() }
        let isThere = await systems.first(within: .seconds(waitSeconds))
        try Task.checkCancellation()
        if !isThere { throw ScanError(.noSystem, obstacle(await nodes.states)) }
        Task { [nodes, events] in events.report(await nodes.settled()) }
    }

    /// Waits for the nodes that were named, since there are no others, until each has joined or said why not.
    private func joinNamed() async throws {
        let states = try await settled()
        if !states.contains(where: \.isUsable) { throw ScanError(.noSystem, obstacle(states)) }
        events.report(states)
    }

    /// Waits until all systems are there that can be: those that were named have joined or said why not, and the others
    /// had their time to be found.
    func gather() async throws {
        _ = try await settled()
        await membership?.look(for: .seconds(waitSeconds))
        try Task.checkCancellation()
    }

    /// Waits until each node that was named has joined or said why not.
    private func settled() async throws -> [NodeState] {
        let states = await withTaskCancellationHandler {
            await nodes.settled()
        } onCancel: {
            nodes.close()
        }
        try Task.checkCancellation()
        return states
    }

    /// Why no node can be used, and what to do, in one line.
    private func obstacle(_ states: [NodeState]) -> String {
        if states.isEmpty {
            return membership == nil
                ? "no node was named and --local-slots 0 excludes this machine; name one with --node HOST:PORT"
                : "no node was found in \(plainText(waitSeconds)) s and --local-slots 0 excludes this machine; start"
                    + " `skyfarm node` on another machine, and run `skyfarm doctor` if it is not found"
        }
        let troubles = states.map { "node \($0.address): \($0.trouble ?? "no answer yet")" }
        return "no node can be used: \(troubles.joined(separator: "; ")); run `skyfarm doctor`, or leave out"
            + " --local-slots 0"
    }

    /// Leaves the nodes.
    func close() {
        search?.cancel()
        nodes.close()
    }
}

extension NodeState {
    /// Whether tasks can be sent there.
    var isUsable: Bool {
        switch status {
        case .joined, .duplicate: true
        case .connecting, .failed, .closed: false
        }
    }

    /// Why not, in words; nil where it can be used.
    var trouble: String? {
        switch status {
        case .joined: nil
        case .duplicate(let other): "the same node as \(other)"
        case .connecting: "no answer yet"
        case .failed(let error): error.message
        case .closed: "closed"
        }
    }
}
