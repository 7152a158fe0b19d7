import Foundation
public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// A process of a cluster.
///
/// It consists of its own system with slots, the registry of all systems, the connections to peers, their discovery
/// and, if the node serves, the server that runs tasks of other processes. Its coordinator takes tasks and sends them
/// to systems of the registry; tasks that the server receives run on the node's own system.
///
/// ```swift
/// let node = ScanNode(name: "alpha", keys: try KeyStore.user().ring(), slots: 4, serving: TaskTypes(PrimeCount.self))
/// try await node.run()
/// ```
///
/// A serving node lists its discovered peers, but does not connect to them until ``connectPeers()``. A node that does
/// not serve connects its peers as soon as they are discovered.
public final class ScanNode: Sendable {
    /// An event of a node.
    public enum Event: Sendable {
        /// An event of the server, such as a new connection.
        case server(NodeServer.Event)
        /// The announcement of this node, which serves at `address`, succeeded or failed.
        case announcement(AdvertisementEvent, address: SocketAddress)
        /// An event of the discovery of peers.
        case membership(ClusterMembership.Change)
    }

    private struct Running {
        var phase = Phase.new
        var search: Task<Void, Never>?
        var address: SocketAddress?
        var announcement: Announcement?
        var isPaused = false
    }

    /// Identity of this process, by which it recognises its own announcement.
    public let identity: SystemID
    /// System that runs tasks of this process and tasks that the server receives, or nil if this process has no slots.
    public let local: ScanSystem?
    /// Registry of the systems that accept tasks now and of the known peers.
    public let systems: Systems
    /// Connections to peers.
    public let connections: RemoteNodes
    /// Server that runs tasks of other processes, or nil if this node does not serve.
    public let server: NodeServer?
    /// Discovery and selection of peers.
    public let membership: ClusterMembership
    /// Coordinator that runs scans on all systems of the registry.
    public let coordinator: ScanCoordinator

    /// Page that shows the tasks of this process, or nil if there is none.
    public let page: (any StatusPage)?

    /// What is wrong with the number of slots that was asked for; nil if nothing is.
    private let problem: SetupError?
    private let announcing: (any ServiceDiscovery)?
    private let keys: Locked<KeyRing>
    private let onEvent: @Sendable (Event) -> Void
    private let running = Locked(Running())

    /// Creates a node that serves after it is started.
    /// - Parameters:
    ///   - name: name for users. Nodes of the same name are told apart by their identities.
    ///   - keys: cluster keys, of which a peer must hold one.
    ///   - slots: number of tasks that run at a time.
    ///   - taskTypes: types of task that the node runs.
    ///   - listen: `ADDR:PORT`; an empty ADDR selects all addresses, and port 0 any free port.
    ///   - sources: sources of announcements of peers; the first one also announces this node.
    ///   - resolver: finds bulk bytes that coordinators reference instead of sending them.
    ///   - options: limits of the server.
    ///   - page: shows the tasks of the node while it runs, such as a `LivePage` of `SkyfarmKit`.
    ///   - loop: event loop of the connections.
    ///   - onEvent: called from any thread; must not block.
    public init(
        name: String = hostName(), keys: KeyRing, slots: Int, serving taskTypes: TaskTypes, listen: String = ":0",
        discovering sources: [any ServiceDiscovery] = [DNSServiceDiscovery()], resolver: (any BulkResolver)? = nil,
        options: NodeServer.Options = .init(), page: (any StatusPage)? = nil, loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        let onEvent = page?.observing(onEvent) ?? onEvent
        let taskTypes = page.map { taskTypes.observed(by: $0) } ?? taskTypes
        self.page = page
        var generator = SystemRandomNumberGenerator()
        problem = SetupError(slots: slots, least: 1)
        let local = ScanSystem(
            local: problem == nil ? slots : 0, id: SystemID(using: &generator), name: name, niceness: options.niceness,
            tags: options.tags, memory: options.memory, clock: loop)
        identity = local.id
        self.local = local
        var (options, resolver) = (options, resolver)
        if KeptTypes.contain(taskTypes.names) {
            options.onCall = KeptCall.answering(before: options.onCall)
            resolver = KeptResolver(next: resolver)
        }
        server = NodeServer(
            system: local, keys: keys, taskTypes: taskTypes, listen: listen, resolver: resolver, options: options,
            loop: loop, onEvent: { onEvent(.server($0)) })
        systems = Systems(clock: loop)
        var remote = RemoteNodes.Options()
        remote.arithmetic = taskTypes.arithmetic
        remote.packed = taskTypes.unpacker?.form
        connections = RemoteNodes([], keys: keys, systems: systems, options: remote, loop: loop)
        self.keys = Locked(keys)
        coordinator = Self.coordinator(systems, .init(), by: NodeCaller(self.keys, remote, on: loop))
        membership = ClusterMembership(
            sources, own: [identity], connections: connections, systems: systems, keys: keys,
            hasLocalSystem: false, needsPeers: false, onChange: { onEvent(.membership($0)) })
        announcing = sources.first
        self.onEvent = onEvent
    }

    /// Creates a node that does not serve, that is, a coordinator.
    /// - Parameters:
    ///   - keys: cluster keys, of which a peer must hold one.
    ///   - addresses: addresses of peers, `HOST:PORT`, which are always connected.
    ///   - sources: sources of announcements of other peers.
    ///   - localSlots: number of tasks that run at a time in this process; 0 for none.
    ///   - localName: name of the system of this process.
    ///   - localTags: capabilities of this process that tasks may require.
    ///   - localQueue: number of tasks that may wait for a slot of this process; see
    ///     `ScanSystem.init(local:id:name:niceness:queue:unpacker:tags:memory:clock:)`.
    ///   - unpacker: unpacks bulk bytes on the slots of this process, or nil if they are not packed for it.
    ///   - options: limits of a scan.
    ///   - remote: settings of the connections.
    ///   - page: shows the tasks of this process until it is closed, such as a `LivePage` of `SkyfarmKit`.
    ///   - loop: event loop of the connections.
    ///   - onEvent: called from any thread; must not block.
    public init(
        keys: KeyRing, nodes addresses: [String] = [], discovering sources: [any ServiceDiscovery],
        localSlots: Int = 0, localName: String = hostName(), localTags: Set<String> = [],
        localQueue: Int = 0, unpacker: (any BulkUnpacker)? = nil,
        options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), page: (any StatusPage)? = nil, loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        let onEvent = page?.observing(onEvent) ?? onEvent
        self.page = page
        var generator = SystemRandomNumberGenerator()
        identity = SystemID(using: &generator)
        problem = SetupError(slots: localSlots, least: 0)
        local =
            localSlots == 0 || problem != nil
            ? nil
            : ScanSystem(
                local: localSlots, id: identity, name: localName, queue: localQueue, unpacker: unpacker,
                tags: localTags, clock: loop)
        server = nil
        systems = Systems(clock: loop)
        connections = RemoteNodes(addresses, keys: keys, systems: systems, options: remote, loop: loop)
        self.keys = Locked(keys)
        coordinator = Self.coordinator(systems, options, by: NodeCaller(self.keys, remote, on: loop))
        membership = ClusterMembership(
            sources, own: [identity], connections: connections, systems: systems, keys: keys,
            hasLocalSystem: local != nil, selection: remote.selection, onChange: { onEvent(.membership($0)) })
        announcing = nil
        self.onEvent = onEvent
    }

    private static func coordinator(
        _ systems: Systems, _ options: ScanCoordinator.Options, by caller: NodeCaller
    ) -> ScanCoordinator {
        var coordinator = ScanCoordinator(
            systems: systems, options: options, clock: caller.loop, executor: caller.loop)
        coordinator.call = { await caller.call($0, $1) }
        return coordinator
    }

    /// Starts the server and its announcement, connects the peers at given addresses, and discovers others.
    /// - Returns: The address at which the node serves, or nil if it does not serve.
    /// - Throws: `AddressError` or `SocketError` if the node cannot listen on the address, or the page on its own;
    ///   `SetupError` if the node was started or closed before, or its types or slots cannot be used.
    @discardableResult
    public func start() throws -> SocketAddress? {
        if let problem { throw problem }
        let address = try running.withLock { running in
            if let problem = running.phase.problem { throw problem }
            let address = try server?.start()
            running.phase = .started
            return address
        }
        do {
            try page?.open(self, at: address)
        } catch {
            server?.stop()
            throw error
        }
        if let local { systems.join(local) }
        connections.start()
        running.withLock { running in
            running.address = address
            running.announcement = announce(at: address, isPaused: running.isPaused)
            if !membership.isOff { running.search = Task { [membership] in await membership.run() } }
        }
        return address
    }

    /// Accepts these keys from now on, and announces them. Connections made with other keys stay open.
    package func use(_ keys: KeyRing) async {
        self.keys.withLock { $0 = keys }
        server?.use(keys)
        connections.use(keys)
        membership.use(keys)
        await announceAgain()
    }

    /// Runs no tasks of other processes until ``resume()``, and announces this; see `NodeServer.pause(_:)`.
    public func pause(_ reason: String) async {
        server?.pause(reason)
        await announceAgain(isPaused: true)
    }

    /// Runs tasks of other processes again.
    public func resume() async {
        server?.resume()
        await announceAgain(isPaused: false)
    }

    private func announceAgain(isPaused: Bool? = nil) async {
        let isNeeded = running.withLock { running in
            let isNew = isPaused != running.isPaused
            if let isPaused { running.isPaused = isPaused }
            return isNew
        }
        guard isNeeded else { return }
        await withdraw()
        running.withLock { $0.announcement = announce(at: $0.address, isPaused: $0.isPaused) }
    }

    /// Connects all known peers, and from now on each peer as soon as it is discovered.
    public func connectPeers() { membership.connectPeers() }

    /// Withdraws the announcement, so that other processes no longer discover the node.
    public func withdraw() async {
        let announcement = running.withLock { running in
            defer { running.announcement = nil }
            return running.announcement
        }
        await announcement?.withdraw()
    }

    /// Withdraws the announcement, finishes the tasks of the server, and closes.
    public func drain() async {
        await withdraw()
        await server?.drain()
        await leave()
    }

    /// Ends discovery and closes the connections to peers. Attempts of running scans on peers are lost.
    public func disconnect() {
        running.withLock { $0.search?.cancel() }
        connections.close()
    }

    /// Closes at once, without waiting for running tasks.
    public func close() async {
        await withdraw()
        server?.stop()
        await leave()
    }

    private func leave() async {
        running.withLock { $0.phase = .closed }
        disconnect()
        systems.close()
        if let local {
            systems.leave(local.id)
            await local.close()
        }
        await page?.close()
    }

    private func announce(at address: SocketAddress?, isPaused: Bool) -> Announcement? {
        guard let server, let address, let announcing else { return nil }
        return Announcement(
            of: server, keys: keys.withLock { $0 }, port: address.port, isPaused: isPaused, through: announcing
        ) { [onEvent] in onEvent(.announcement($0, address: address)) }
    }
}
