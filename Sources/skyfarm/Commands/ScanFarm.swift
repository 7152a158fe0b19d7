import CommandLineKit
import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork
import ScanSecurity

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

    /// Connects to nodes and looks for others from now on, beside whatever else must be done before work can begin.
    /// `timeout` and `maxAttempts` are what its coordinator's jobs put up with, and `job` is what nodes are told that this
    /// process works on.
    /// - Throws: `KeyError` if nodes are needed and there is no key to meet them with.
    init(
        _ cluster: ClusterOptions, job: String? = nil, timeout: Duration? = nil, maxAttempts: Int = 3,
        events: ScanEvents
    ) throws {
        let loop = EventLoop.shared
        let (keys, sources) = try Self.keysAndSources(cluster, events)
        systems = Systems(clock: loop)
        var options = RemoteNodes.Options()
        options.job = job
        nodes = RemoteNodes(cluster.nodes.map(\.description), keys: keys, systems: systems, options: options)
        let slots = cluster.slotsHere
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
        let membership = ClusterMembership(
            sources, nodes: nodes, keys: keys, hasLocalSystem: local != nil, onNews: events.handle)
        self.membership = sources.isEmpty ? nil : membership
        search = sources.isEmpty ? nil : Task { await membership.run() }
        if let local { systems.join(local) }
        nodes.start()
    }

    /// The keys, and where nodes are looked for. A command that can do without nodes does so if the key cannot be used.
    private static func keysAndSources(
        _ cluster: ClusterOptions, _ events: ScanEvents
    ) throws -> (KeyRing, [any ServiceDiscovery]) {
        let sources = NodeSources(discovers: cluster.discovers, srv: cluster.srv).all
        do {
            if !cluster.nodes.isEmpty || !sources.isEmpty { return (try KeyStore.user().ring(), sources) }
        } catch {
            guard cluster.nodes.isEmpty, cluster.localSlots != 0 else { throw error }
            events.say("nodes are not looked for: \(error)")
        }
        // Nobody is met: a key that nobody else knows will do.
        return (KeyRing(current: try .random()), [])
    }

    /// Waits for a system to work with; with a local one the scan need not wait for nodes, and they join as they come.
    /// - Throws: ``ScanError/Code/noSystem`` if there is nobody to do the work, or
    ///   ``ScanError/Code/authentication`` if that is because a node that was named refuses the key.
    func join() async throws {
        if local != nil {
            Task { [nodes, events] in events.report(await nodes.settled()) }
            return
        }
        if membership == nil { return try await joinNamed() }
        let isThere = await systems.first(within: .seconds(waitSeconds))
        try Task.checkCancellation()
        if !isThere { throw obstacle(await nodes.states) }
        Task { [nodes, events] in events.report(await nodes.settled()) }
    }

    /// Waits for the nodes that were named, since there are no others, until each has joined or said why not.
    private func joinNamed() async throws {
        let states = try await settled()
        if !states.contains(where: \.isUsable) { throw obstacle(states) }
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
    private func obstacle(_ states: [NodeState]) -> ScanError {
        if states.isEmpty {
            let words =
                membership == nil
                ? "no node was named and --local-slots 0 excludes this machine; name one with --node HOST:PORT"
                : "no node was found in \(plainText(waitSeconds)) s and --local-slots 0 excludes this machine; start"
                    + " `skyfarm node` on another machine, and run `skyfarm doctor` if it is not found"
            return ScanError(.noSystem, words)
        }
        let troubles = states.map { "node \($0.address): \($0.trouble ?? "no answer yet")" }
        return ScanError(
            states.contains(where: \.refusesKey) ? .authentication : .noSystem,
            "no node can be used: \(troubles.joined(separator: "; ")); run `skyfarm doctor`, or leave out"
                + " --local-slots 0")
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

    /// Whether it does not hold a key of ours.
    var lacksKey: Bool {
        if case .failed(let error) = status { return error.code == .authentication }
        return false
    }

    /// Whether it was named, and does not hold a key of ours.
    var refusesKey: Bool { announcedName == nil && lacksKey }

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
