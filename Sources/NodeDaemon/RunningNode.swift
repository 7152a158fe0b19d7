import Console
import Dispatch
import Foundation
import ImageJobs
import ProgramTask
import ScanBasics
import ScanCluster
import ScanDashboard
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import SkyScan

/// A running `skyfarm node`, from its start to its end.
///
/// The initialiser creates all parts that can fail: the server, which listens and is announced, the owner's rules, the
/// jobs of this user and the live page. ``run(until:)`` then serves requests until a signal or `--idle-stop`, and lets
/// running tasks finish. After it returns, jobs, orders and keys are no longer processed.
struct RunningNode: Sendable {
    var name: String { naming.text }
    /// Address at which other machines reach the node.
    let address: SocketAddress
    /// The state that the live page of the node shows.
    let live: LiveNode

    /// The name, which stays this node's as long as this value exists.
    private let naming: NodeName
    /// Announcements of other nodes of the same name.
    private let namesakes: AsyncStream<Void>
    private let command: NodeCommand
    private let store: KeyStore
    /// Cluster keys at the start of the node.
    private let keys: KeyRing
    private let node: ScanNode
    private let server: NodeServer
    private let owner: NodeOwner
    private let idle: IdleStop?
    /// The job service, or nil if the environment defines no folder for jobs.
    private let jobs: ClusterJobs?
    /// Returns the addresses of this node and of the nodes that it has discovered, one list per node.
    private let peers: @Sendable () -> [[SocketAddress]]
    private let cluster: ClusterWatch
    private let dashboard: DashboardServer?
    /// Runs the programs of `--program`; nil if there are none.
    private let programs: ProgramHost?
    /// Calls the functions of the modules of `--python`; nil if there are none.
    private let functions: PythonHost?

    /// - Throws: `CommandError` if the node cannot listen, or cannot use what its options name; `KeyError`.
    init(_ command: NodeCommand, _ naming: NodeName) throws {
        let options = command.options
        let name = naming.text
        let live = LiveNode(name: name, slots: options.slots ?? ProcessInfo.processInfo.activeProcessorCount)
        let store = try KeyStore.user()
        keys = try store.ring()
        let observer = try MachineObserver(options.rules)
        let owner = NodeOwner(options.rules, clock: EventLoop.shared) { observer.read() }
        let idle = IdleStop(after: options.idleStop, clock: EventLoop.shared)
        let load = Locked<(@Sendable () -> NodeLoad)?>(nil)
        // Known once the node has started; no job starts before.
        let known = Locked<@Sendable () -> [Systems.Peer]>({ [] })
        jobs = try command.jobService(name, known: { known.withLock { $0 }() }) { load.withLock { $0 }?() }
        programs = try options.programs.host(
            slots: live.slots, niceness: options.niceness, environment: options.environment)
        var limits = NodeServer.Options(options)
        functions = try options.modules.host(
            slots: live.slots, niceness: options.niceness, environment: options.environment)
        limits.tags.formUnion((programs?.tags ?? []).union(functions?.tags ?? []))
        limits.onOrder = { owner.handle(.order($0, by: "\($1)")) }
        NodeCallService(store: try command.fileStore(), jobs: jobs).serve(&limits)
        let presence = Locked(CoordinatorPresence())
        let (namesakes, sighting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let node = ScanNode(
            name: name, keys: keys, slots: live.slots,
            serving: programs == nil && functions == nil ? .sky : .sky(and: ProgramSeries.self, PythonTask.self),
            listen: options.address.description,
            discovering: options.advertises ? [DNSServiceDiscovery()] : [], resolver: try command.resolver(),
            options: limits
        ) { event in
            if case .server(let event) = event {
                live.note(event)
                idle?.note(event)
                Self.giveBackMemory(after: event, presence)
            }
            if case .membership(.discovered(let other)) = event, other.name == name { sighting.yield() }
            command.say(event)
        }
        guard let server = node.server else { preconditionFailure("a node that serves has a server") }
        let bound = try command.start(node)
        if options.listen == nil, bound.port != options.address.port {
            command.say("port \(options.address.port) is taken: this node listens on port \(bound.port)")
        }
        let address = NodeCommand.reachable(bound)
        load.withLock { $0 = { NodeLoad(server, live, address) } }
        let own = Systems.Peer(
            key: "own", name: name, identity: node.identity, slots: live.slots, addresses: [address])
        known.withLock { $0 = { [own] + node.systems.peers } }
        let peers: @Sendable () -> [[SocketAddress]] = { known.withLock { $0 }().map(\.addresses) }
        cluster = ClusterWatch(
            keys: { try store.ring() }, addresses: { peers() + options.clusterNodes.map { [$0] } }, live: live)
        dashboard = try command.serveDashboard(NodeDashboardSource(server, live, address, cluster))
        (self.naming, self.namesakes, self.command, self.store) = (naming, namesakes, command, store)
        (self.address, self.live) = (address, live)
        (self.node, self.server, self.owner, self.idle, self.peers) = (node, server, owner, idle, peers)
    }

    /// Runs until a signal or until `--idle-stop`. Then the node accepts no new coordinators and finishes its running
    /// tasks. A second SIGINT ends the process at once.
    func run(until interrupts: Interrupts) async {
        let signals = OwnerSignals { [owner] in owner.handle($0) }
        // Not in the task group, since each of them may wait for a machine that does not answer.
        let watching = Task { if dashboard != nil { await cluster.run() } }
        let joining = Task { await join() }
        let renaming = Task { await command.watch(naming, of: node, sightings: namesakes) }
        let serving = Task { await command.serveJobs(jobs, owner) { peers().map { $0.map(\.description) } } }
        await withDiscardingTaskGroup { group in
            group.addTask { await obey() }
            group.addTask { await followKeys() }
            // Any signal drains the node, including SIGHUP; nohup keeps it running after its terminal is closed.
            await command.end(interrupts, idle)
            joining.cancel()
            renaming.cancel()
            serving.cancel()
            // Orders to pause are still carried out until the service has ended.
            await serving.value
            watching.cancel()
            group.cancelAll()
        }
        withExtendedLifetime(signals) {}
        // Withdraws the announcement first, so that no new coordinator connects.
        await node.withdraw()
        live.drain()
        await drain(interrupts)
        live.end()
        programs?.close()
        functions?.close()
        await dashboard?.close(within: 1)
    }

    /// Pauses and resumes the node until the task is cancelled.
    private func obey() async {
        for await pause in owner.pauses {
            if let pause { await node.pause(pause) } else { await node.resume() }
        }
    }

    /// Adopts each new cluster key of the user until the task is cancelled.
    private func followKeys() async {
        for await keys in store.changes(of: keys, onTrouble: { command.say("still using the old keys: \($0)") }) {
            await node.use(keys)
            command.say("the cluster key is now \(keys.current.fingerprint)")
        }
    }

    /// Reports the node's address to the `skyfarm up --slurm` that started it.
    private func join() async {
        guard let place = command.options.join else { return }
        await command.join(place, as: JoinCall(name: name, port: address.port, slots: live.slots), keys: keys)
    }

    /// Lets running tasks finish; a second SIGINT ends the process at once.
    private func drain(_ interrupts: Interrupts) async {
        let running = server.status.running + server.status.queued
        if running > 0 {
            command.say("finishing \(HumanFormat.count(running, "task")); press Ctrl-C again to stop at once")
        }
        await node.drain()
        withExtendedLifetime(interrupts) {}
    }

    /// Returns unused memory of scans to the system after a minute without a coordinator.
    private static func giveBackMemory(after event: NodeServer.Event, _ presence: Locked<CoordinatorPresence>) {
        if case .connected = event { presence.withLock { $0.begin() } }
        guard case .disconnected = event, let mark = presence.withLock({ $0.end() }) else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 60) {
            if presence.withLock({ $0.isIdle(since: mark) }) { FreedMemory.giveBack() }
        }
    }
}

extension NodeServer.Options {
    /// Creates the server's options from the node's options.
    fileprivate init(_ options: NodeCommand.Options) {
        self.init()
        niceness = options.niceness
        tags = Set(options.tags)
        mayUseAnotherPort = options.listen == nil
        if let memory = options.memory {
            // It is given to tasks that say how much they need, as programs with --memory do.
            self.memory = memory
            (bulkLimit, bulkCacheLimit) = (memory * 2 / 3, min(1 << 30, memory / 3))
        }
    }
}
