import CommandLineKit
package import Console
import Foundation
package import ScanCluster
import ScanDiscovery
package import ScanFarm
package import ScanNetwork
import ScanSecurity
import SkyScan

/// The node of a command, which connects to other nodes and does not serve.
extension ScanNode {
    /// Connects nodes and starts to discover others, while the command prepares its work.
    ///
    /// - Parameters:
    ///   - cluster: options that select nodes and slots.
    ///   - job: name under which nodes log the job of this process.
    ///   - timeout: time limit of a task, or nil for an adaptive one.
    ///   - maxAttempts: maximum number of attempts per task.
    ///   - manyImages: whether a few tasks wait for the slots of this process, which unpack pixels themselves.
    ///   - oneTask: whether a slot of this process does the work, so that no link is measured. Without local slots, all
    ///     links are measured.
    ///   - events: receives messages for the user.
    /// - Throws: `KeyError` if nodes are needed and no usable key exists.
    // Not inlined, since the optimiser of Swift 6.3.1 crashes ("while splitting coroutine") on async functions that
    // contain it.
    @inline(never)
    package static func started(
        _ cluster: ClusterOptions, job: String? = nil, timeout: Duration? = nil, maxAttempts: Int = 3,
        manyImages: Bool = false, oneTask: Bool = false, events: ScanEvents
    ) throws -> ScanNode {
        let (keys, sources) = try keysAndSources(cluster, events)
        var remote = RemoteNodes.Options.sky
        remote.allowsDifferentNodes = cluster.allowsDifferent
        if oneTask, cluster.slotsHere > 0 { remote.measuresLinks = false }
        remote.job = job
        remote.selection = cluster.selection
        remote.selection.own = SpareNode.namePrefix
        remote.weight = cluster.weight
        let node = ScanNode(
            keys: keys, nodes: cluster.nodes.map(\.description), discovering: sources, localSlots: cluster.slotsHere,
            localName: ScanEvents.localName, localQueue: manyImages ? cluster.slotsHere : 0,
            unpacker: manyImages ? TaskTypes.sky.unpacker : nil,
            options: .init(
                timeout: timeout, maxAttempts: maxAttempts, waitForSystems: .seconds(cluster.waitSeconds),
                adaptiveTimeout: AdaptiveTimeout()),
            remote: remote
        ) { event in
            if case .membership(let change) = event { events.handle(change) }
        }
        SubmittedRun.current?.follow(node.connections)
        if let local = node.local { node.prepare(local, wanted: cluster.slotsHere, events) }
        try node.start()
        return node
    }

    /// Connects nodes for tasks that are no sky scans, and starts to discover others.
    /// - Parameters:
    ///   - cluster: options that select nodes.
    ///   - remote: what the nodes must have; the selection and the weight are set here.
    ///   - local: slots of this process, and the tags of its system.
    ///   - limits: limits of the runs.
    ///   - page: shows the tasks while the node runs.
    ///   - events: receives messages for the user.
    /// - Returns: The node.
    /// - Throws: `KeyError` if nodes are needed and no usable key exists; what the page throws if it cannot be served.
    @inline(never)
    package static func started(
        _ cluster: ClusterOptions, remote: RemoteNodes.Options, local: (slots: Int, tags: Set<String>),
        limits: ScanCoordinator.Options, page: (any StatusPage)? = nil, events: ScanEvents
    ) throws -> ScanNode {
        let (keys, sources) = try keysAndSources(cluster, events)
        var remote = remote
        (remote.selection, remote.weight) = (cluster.selection, cluster.weight)
        let node = ScanNode(
            keys: keys, nodes: cluster.nodes.map(\.description), discovering: sources, localSlots: local.slots,
            localName: ScanEvents.localName, localTags: local.tags, localQueue: local.slots, options: limits,
            remote: remote, page: page
        ) { event in
            if case .membership(let change) = event { events.handle(change) }
        }
        try node.start()
        return node
    }

    private func prepare(_ local: ScanSystem, wanted: Int, _ events: ScanEvents) {
        if local.slots < wanted {
            events.warn(
                """
                this machine runs \(local.slots) tasks at a time, not \(wanted): the system allows this process no more \
                threads, or no memory for them; allow more, as by `ulimit -v unlimited` and `ulimit -u unlimited`
                """)
        }
        let most = local.slots
        systems.offer { [weak connections = connections] tasks in
            guard let connections else { return false }
            return await SpareNode.start(min(tasks, most), connectedBy: connections)
        }
    }

    /// Returns the keys and the sources of nodes. A command that does not need nodes ignores an unusable key.
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
        // No node is connected, so the key is not used.
        return (KeyRing(current: .unused()), [])
    }

    /// Waits until a system can take tasks. With a local one it returns at once, and nodes join as they are discovered.
    /// - Throws: `CommandError` if the options name a node in such a way that several could be meant;
    ///   ``ScanError/Code/noSystem`` if there is no system, or ``ConnectError/Code/authentication`` if that is because
    ///   nodes do not hold the key.
    package func join(_ cluster: ClusterOptions, _ events: ScanEvents) async throws {
        if local == nil {
            if !membership.isOff {
                _ = await systems.first(within: .seconds(cluster.waitSeconds))
            } else {
                await settled()
            }
            let isThere = !systems.snapshot.isEmpty
            let states = await connections.states
            events.choice.report(states)
            // Not by functions that throw: with the error below, Swift 6.3 fails to compile them in optimised builds.
            if Task.isCancelled { throw CancellationError() }
            if let error = events.choice.error { throw error }
            if !isThere, !states.contains(where: \.isUsable) { throw unusable(states, cluster) }
        }
        Task { [connections] in events.report(await connections.settled()) }
    }

    /// Waits until each node at a given address has joined or failed, and for the time in which others may be
    /// discovered.
    /// - Throws: `CommandError` if the options name a node in such a way that several could be meant.
    package func gather(_ cluster: ClusterOptions, _ events: ScanEvents) async throws {
        await settled()
        if !membership.isOff { _ = await discover(for: .seconds(cluster.waitSeconds)) }
        events.choice.report(await connections.states)
        // Not by functions that throw, for the reason given in `join`.
        if Task.isCancelled { throw CancellationError() }
        if let error = events.choice.error { throw error }
    }

    /// Waits until each node at a given address has joined or failed, or until the task is cancelled.
    private func settled() async {
        _ = await withTaskCancellationHandler {
            await connections.settled()
        } onCancel: {
            connections.close()
        }
    }

    /// Why no node can be used, and what to do, in one line.
    private func unusable(_ states: [NodeState], _ cluster: ClusterOptions) -> any Error {
        let nodes = UnusableNodes(states, discovered: membership.peers)
        if nodes.isEmpty {
            let words =
                !membership.isOff
                ? "no node was found in \(plainText(cluster.waitSeconds)) s and --local-slots 0 excludes this machine;"
                    + " start `skyfarm node` on another machine, and run `skyfarm doctor` if it is not found"
                : "no node was named and --local-slots 0 excludes this machine; name one with --node HOST:PORT"
            return ScanError(.noSystem, words)
        }
        let words =
            "no node can be used: \(nodes.troubles.joined(separator: "; ")); run `skyfarm doctor`, or leave out"
            + " --local-slots 0"
        return nodes.lackKey ? ConnectError(.authentication, words) : ScanError(.noSystem, words)
    }
}

extension RemoteNodes.Options {
    /// Options of a process that distributes sky scans; nodes must have the same arithmetic.
    package static var sky: RemoteNodes.Options {
        var options = RemoteNodes.Options()
        options.arithmetic = .sky
        options.taskTypes = TaskTypes.skyNames
        options.packed = TaskTypes.sky.unpacker?.form
        options.measuresLinks = true
        return options
    }
}
