import Foundation
public import ScanCluster
public import ScanDiscovery
public import ScanNetwork
public import ScanSecurity

/// A process of a cluster: its system, the registry of its peers, their discovery and, if it serves, the server that
/// runs other processes' tasks on its system.
///
/// ```swift
/// let node = ScanNode(name: "alpha", keys: try KeyStore.user().ring(), slots: 4, serving: Scanners(PrimeCount.self))
/// try await node.run()
/// ```
///
/// A node that serves lists its discovered peers and opens no connection to them until ``connectPeers()``. A node that
/// does not serve connects its peers as soon as they are discovered.
public final class ScanNode: Sendable {
    /// An event of a node.
    public enum Event: Sendable {
        /// An event of the server.
        case server(NodeServer.Event)
        /// The announcement of this node, which serves at `address`, succeeded or failed.
        case announcement(AdvertisementEvent, address: SocketAddress)
        /// An event of the discovery of peers.
        case membership(ClusterMembership.Change)
    }

    private struct Running {
        var search: Task<Void, Never>?
        var address: SocketAddress?
        var announcement: Announcement?
        var isPaused = false
    }

    /// Identity of this process.
    public let identity: SystemID
    /// Runs the tasks of this process, and those that the server receives; nil if this process has no slots.
    public let local: ScanSystem?
    /// The registry: systems that accept tasks now, and peers that are known.
    public let systems: Systems
    /// Connections to peers.
    public let connections: RemoteNodes
    /// Runs tasks of other processes; nil if this node does not serve.
    public let server: NodeServer?
    /// Discovers peers.
    public let membership: ClusterMembership
    /// Runs scans on all systems of the registry.
    public let coordinator: ScanCoordinator

    private let announcing: (any ServiceDiscovery)?
    private let keys: Locked<KeyRing>
    private let onEvent: @Sendable (Event) -> Void
    private let running = Locked(Running())

    /// A node that serves, once it is started.
    /// - Parameters:
    ///   - name: name for users; unique in a cluster.
    ///   - keys: the cluster keys of which a peer must hold one.
    ///   - slots: tasks that run at the same time.
    ///   - scanners: the types of task that it runs.
    ///   - listen: `ADDR:PORT`; an empty ADDR for all addresses, port 0 for any port.
    ///   - sources: where peers are looked for; the first of them also announces this node.
    ///   - resolver: finds bulk bytes that coordinators refer to instead of sending them.
    ///   - options: limits of the server.
    ///   - loop: the I/O thread.
    ///   - onEvent: called from any thread, and must not block it.
    public init(
        name: String = hostName(), keys: KeyRing, slots: Int, serving scanners: Scanners, listen: String = ":0",
        discovering sources: [any ServiceDiscovery] = [DNSServiceDiscovery()], resolver: (any BulkResolver)? = nil,
        options: NodeServer.Options = .init(), loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        var generator = SystemRandomNumberGenerator()
        let local = ScanSystem(
            local: slots, id: SystemID(using: &generator), name: name, niceness: options.niceness, tags: options.tags,
            clock: loop)
        identity = local.id
        self.local = local
        server = NodeServer(
            system: local, keys: keys, scanners: scanners, listen: listen, resolver: resolver, options: options,
            loop: loop, onEvent: { onEvent(.server($0)) })
        systems = Systems(clock: loop)
        var remote = RemoteNodes.Options()
        remote.arithmetic = scanners.arithmetic
        remote.packed = scanners.unpacker?.form
        connections = RemoteNodes([], keys: keys, systems: systems, options: remote, loop: loop)
        coordinator = ScanCoordinator(systems: systems, clock: loop, executor: loop)
        membership = ClusterMembership(
            sources, own: [identity], connections: connections, systems: systems, keys: keys,
            hasLocalSystem: false, needsPeers: false, onChange: { onEvent(.membership($0)) })
        announcing = sources.first
        self.keys = Locked(keys)
        self.onEvent = onEvent
    }

    /// A node that does not serve: a coordinator.
    /// - Parameters:
    ///   - keys: the cluster keys of which a peer must hold one.
    ///   - addresses: addresses of peers, `HOST:PORT`, which are connected in any case.
    ///   - sources: where other peers are looked for.
    ///   - localSlots: tasks that run at the same time in this process; 0 for none.
    ///   - localName: name of the system of this process.
    ///   - localTags: what this process has that tasks may need.
    ///   - localQueue: tasks that wait for a slot of this process; see ``ScanSystem/init(local:id:name:niceness:queue:unpacker:tags:clock:)``.
    ///   - unpacker: unpacks bulk bytes on the slots of this process; nil: they are not packed for it.
    ///   - options: limits of a scan.
    ///   - remote: how to connect.
    ///   - loop: the I/O thread.
    ///   - onEvent: called from any thread, and must not block it.
    public init(
        keys: KeyRing, nodes addresses: [String] = [], discovering sources: [any ServiceDiscovery],
        localSlots: Int = 0, localName: String = hostName(), localTags: Set<String> = [],
        localQueue: Int = 0, unpacker: (any BulkUnpacker)? = nil,
        options: ScanCoordinator.Options = .init(),
        remote: RemoteNodes.Options = .init(), loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        var generator = SystemRandomNumberGenerator()
        identity = SystemID(using: &generator)
        local =
            localSlots == 0
            ? nil
            : ScanSystem(
                local: localSlots, id: identity, name: localName, queue: localQueue, unpacker: unpacker,
                tags: localTags, clock: loop)
        server = nil
        systems = Systems(clock: loop)
        connections = RemoteNodes(addresses, keys: keys, systems: systems, options: remote, loop: loop)
        coordinator = ScanCoordinator(systems: systems, options: options, clock: loop, executor: loop)
        membership = ClusterMembership(
            sources, own: [identity], connections: connections, systems: systems, keys: keys,
            hasLocalSystem: local != nil, selection: remote.selection, onChange: { onEvent(.membership($0)) })
        announcing = nil
        self.keys = Locked(keys)
        self.onEvent = onEvent
    }

    /// Serves, announces itself, connects the peers whose addresses were given, and discovers others.
    /// - Returns: the address at which it serves; nil if it does not.
    /// - Throws: ``AddressError`` or ``SocketError``, if the address cannot be listened on.
    @discardableResult
    public func start() throws -> SocketAddress? {
        let address = try server?.start()
        if let local { systems.join(local) }
        connections.start()
        running.withLock { running in
            running.address = address
            running.announcement = announce(at: address, isPaused: running.isPaused)
            if !membership.isOff { running.search = Task { [membership] in await membership.run() } }
        }
        return address
    }

    /// Accepts these keys from now on, and announces them. Connections that were made with other keys stay.
    package func use(_ keys: KeyRing) async {
        self.keys.withLock { $0 = keys }
        server?.use(keys)
        connections.use(keys)
        membership.use(keys)
        await announceAgain()
    }

    /// Runs no tasks of others until ``resume()``, for `reason`: see ``NodeServer/pause(_:)``. The announcement says so.
    public func pause(_ reason: String) async {
        server?.pause(reason)
        await announceAgain(isPaused: true)
    }

    /// Runs tasks of others again.
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

    /// Connects all peers, and from now on each as soon as it is discovered.
    public func connectPeers() { membership.connectPeers() }

    /// Withdraws the announcement, so that no other process discovers the node from then on.
    public func withdraw() async {
        let announcement = running.withLock { running in
            defer { running.announcement = nil }
            return running.announcement
        }
        await announcement?.withdraw()
    }

    /// Withdraws the announcement, finishes the tasks that the server has, and closes.
    public func drain() async {
        await withdraw()
        await server?.drain()
        await leave()
    }

    /// Ends discovery and closes the connections to peers. Scans under way lose their attempts there.
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
        disconnect()
        guard let local else { return }
        systems.leave(local.id)
        await local.close()
    }

    private func announce(at address: SocketAddress?, isPaused: Bool) -> Announcement? {
        guard let server, let address, let announcing else { return nil }
        return Announcement(
            of: server, keys: keys.withLock { $0 }, port: address.port, isPaused: isPaused, through: announcing
        ) { [onEvent] in onEvent(.announcement($0, address: address)) }
    }
}
