import Foundation
public import ScanCluster
public import ScanSecurity
import ScanSockets
import ScanCompression

/// Offers the local `ScanSystem` of this process to coordinators that connect over TCP.
///
/// ```swift
/// let node = NodeServer(
///     name: "alpha", keys: try KeyStore.user().ring(), slots: 4, taskTypes: TaskTypes(PrimeCount.self),
///     listen: "0.0.0.0:4711")
/// print("ready at", try node.start())
/// ```
public final class NodeServer: @unchecked Sendable {
    // Sendable: what changes is touched only on the loop's thread, except `shared`, which has a lock.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    let info: NodeInfo
    let taskTypes: TaskTypes
    let resolver: (any BulkResolver)?
    let options: Options
    let loop: EventLoop
    let onEvent: @Sendable (Event) -> Void
    private let address: String
    let system: ScanSystem
    /// Whether the server made the system, and closes it.
    private let ownsSystem: Bool
    private let shared = Locked(Status())
    private let hasStarted = Locked(false)
    /// Why the server cannot be started; nil if it can.
    private let problem: SetupError?

    @exclusivity(unchecked) var resources: NodeResources
    /// Why the node is paused, and since when; nil if it is not.
    var pause: Pause?
    private var keys: KeyRing
    private var connections: NodeConnections
    private var refusals = PeerLogLimiter<String>()
    private var listener: (socket: Socket, poll: SocketPoll)?
    private(set) var sessions: [ConnectionID: NodeSession] = [:]
    private var done = 0
    /// Whether the last task of a draining node has just ended.
    private var hasDrained = false
    private var isStopped = false
    private var drained: [CheckedContinuation<Void, Never>] = []

    /// A node with a local `ScanSystem` of its own; ``start()`` makes it listen until it is drained or stopped.
    /// - Parameters:
    ///   - name: the node's name for users; unique in a cluster.
    ///   - keys: the cluster keys of which a coordinator must hold one.
    ///   - identity: identity of this process; random if nil.
    ///   - slots: tasks that run at the same time, each on a thread of its own.
    ///   - taskTypes: the types of task it runs.
    ///   - listen: `ADDR:PORT`; an empty ADDR for all addresses, port 0 for any port.
    ///   - resolver: finds bulk bytes that coordinators refer to instead of sending them; without it they are sent.
    ///   - options: limits.
    ///   - loop: the I/O thread.
    ///   - onEvent: called on the I/O thread, and must not block it.
    public convenience init(
        name: String, keys: KeyRing, identity: SystemID? = nil, slots: Int, taskTypes: TaskTypes, listen: String,
        resolver: (any BulkResolver)? = nil, options: Options = Options(), loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        var generator = SystemRandomNumberGenerator()
        let system = ScanSystem(
            local: slots, id: identity ?? SystemID(using: &generator), name: name, niceness: options.niceness,
            tags: options.tags, memory: options.memory, clock: loop)
        self.init(
            system, ownsSystem: true, keys: keys, taskTypes: taskTypes, listen: listen, resolver: resolver,
            options: options, loop: loop, onEvent: onEvent)
    }

    /// A node that offers `system`, the system of this process, whose name and identity it has. Tasks of coordinators
    /// and tasks of this process share its slots. The system stays open when the node is drained or stopped.
    ///
    /// The other parameters are those of
    /// ``init(name:keys:identity:slots:taskTypes:listen:resolver:options:loop:onEvent:)``; the niceness of the system's
    /// threads is the system's.
    public convenience init(
        system: ScanSystem, keys: KeyRing, taskTypes: TaskTypes, listen: String, resolver: (any BulkResolver)? = nil,
        options: Options = Options(), loop: EventLoop = .shared,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.init(
            system, ownsSystem: false, keys: keys, taskTypes: taskTypes, listen: listen, resolver: resolver,
            options: options, loop: loop, onEvent: onEvent)
    }

    private init(
        _ system: ScanSystem, ownsSystem: Bool, keys: KeyRing, taskTypes: TaskTypes, listen: String,
        resolver: (any BulkResolver)?, options: Options, loop: EventLoop, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        problem =
            taskTypes.problem ?? SetupError(slots: system.slots, least: 1)
            ?? (system.isLocal && system.isServed(by: loop)
                ? nil : SetupError("a node offers the system of its own process, whose clock is the node's loop"))
        self.system = system
        self.ownsSystem = ownsSystem
        let queueLimit = min(max(0, options.queueLimit), 1 << 30)
        var info = NodeInfo(
            identity: system.id, name: system.name, slots: system.slots, queueLimit: queueLimit,
            taskTypes: taskTypes.names, frameLimit: options.frameLimit)
        info.readsReferences = resolver == nil ? nil : true
        info.identifiesBulk = info.readsReferences
        info.takesParts = true
        info.speed = SlotSpeed.ofThisProcess
        info.forgetsBulk = true
        info.changesWeight = true
        info.answersCalls = options.onCall == nil ? nil : true
        info.unpacks = taskTypes.unpacker?.form
        info.expands = BulkCompression.form
        info.expandsScaled = BulkCompression.scaledForm
        info.processors = system.processors
        info.memory = system.memory
        info.arithmetic = taskTypes.arithmetic
        info.tags = system.tags.isEmpty ? nil : system.tags.sorted()
        self.info = info
        self.taskTypes = taskTypes
        self.resolver = resolver
        self.options = options
        self.loop = loop
        self.onEvent = onEvent
        address = listen
        self.keys = keys
        connections = NodeConnections(limit: options.connectionLimit, unauthenticated: options.unauthenticated)
        resources = NodeResources(
            admission: .init(
                slots: system.slots, queueLimit: queueLimit, bulkLimit: max(0, options.bulkLimit)),
            cache: .init(limit: max(0, options.bulkCacheLimit)), readsReferences: resolver != nil)
    }

    /// Listens.
    /// - Returns: the address, with the port that the system chose if it was 0 or, with
    ///   ``Options/mayUseAnotherPort``, taken.
    /// - Throws: `AddressError` or `SocketError`, if the address is invalid or cannot be listened on; `SetupError` if
    ///   the server has been started before, or its types or slots cannot be used.
    public func start() throws -> SocketAddress {
        if let problem { throw problem }
        let socket = try hasStarted.withLock { hasStarted in
            if hasStarted { throw SetupError("the server was started before: make another one") }
            let socket = try listeningSocket()
            hasStarted = true
            return socket
        }
        let local = socket.localAddress
        nonisolated(unsafe) let listening = socket  // Handed over to the loop's thread.
        loop.execute {
            self.system.assumeIsolated { $0.onEnds { [weak self] in self?.answered() } }
            self.listen(listening)
        }
        return local
    }

    private func listeningSocket() throws -> Socket {
        let wanted = try SocketAddress(parsing: address)
        do {
            return try Socket.listening(on: wanted)
        } catch let error as SocketError where error.errno == EADDRINUSE && options.mayUseAnotherPort {
            return try Socket.listening(on: SocketAddress(host: wanted.host, port: 0))
        }
    }

    /// Takes no new tasks, finishes those it has, and closes. Returns when all of that is done.
    public func drain() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                if self.isStopped && self.sessions.isEmpty { return continuation.resume() }
                self.drained.append(continuation)
                self.stopListening()
                for session in self.sessions.values { session.sayGoodbye() }
                if self.resources.drain() { self.finishDraining() }
            }
        }
    }

    /// Closes at once. Running scans are cancelled; they end when they next check for it.
    public func stop() {
        loop.execute {
            self.isStopped = true
            self.stopListening()
            for session in self.sessions.values { session.connection?.end(Self.stopped) }
            self.closeSystem()
        }
    }

    /// Accepts these keys from now on. Connections that were made with others stay.
    public func use(_ keys: KeyRing) { loop.execute { self.keys = keys } }

    /// Identity of the node.
    public var identity: SystemID { info.identity }

    /// Name for users.
    public var name: String { info.name }

    /// Tasks that run at the same time.
    public var slots: Int { info.slots }

    /// The node's present load.
    public var status: Status { shared.withLock { $0 } }

    private static let stopped = ConnectError(.lost, "was disconnected by this node, which stops")

    // MARK: Connections

    private func listen(_ socket: Socket) {
        guard !isStopped else { return socket.close() }
        do {
            let poll = try SocketPoll(loop: loop, descriptor: socket.descriptor) { _, _ in self.accept() }
            listener = (socket, poll)
            poll.watch(read: true, write: false)
        } catch {
            onEvent(.troubled(reason: "\(error)"))
        }
    }

    private func stopListening() {
        listener?.poll.close()
        listener?.socket.close()
        listener = nil
    }

    private func accept() {
        guard let listener else { return }
        do {
            // A limit, so that other connections have their turn.
            for _ in 0..<8 {
                guard let socket = try listener.socket.accept() else { return }
                open(socket)
            }
        } catch {
            // Most likely no descriptor is free. The listener would be reported ready continually, so it pauses.
            onEvent(.troubled(reason: "\(error)"))
            listener.poll.watch(read: false, write: false)
            _ = loop.schedule(at: loop.now.advanced(by: options.timing.heartbeat)) { [weak self] in
                self?.listener?.poll.watch(read: true, write: false)
            }
        }
    }

    private func open(_ socket: Socket) {
        let host = socket.peerAddress.host
        let (id, evicted) = connections.arrived(from: host)
        let session = NodeSession(server: self, id: id)
        do {
            let connection = try Connection(
                loop: loop, socket: socket, session: options.sessions.server(keys, .now, options.unauthenticated),
                frameLimit: options.frameLimit, timing: options.timing, pausesForSlowReader: true, delegate: session)
            session.connection = connection
            sessions[id] = session
            connection.recognised = { [weak self] in
                guard let self else { return }
                evict(connections.recognised(id, from: host))
            }
            connection.secured = { [weak self] in self?.connections.secured(id) }
            connection.closed = { [weak self] in self?.closed(id) }
        } catch {
            connections.closed(id)
            onEvent(.troubled(reason: "\(error)"))
        }
        evict(evicted)
    }

    private func evict(_ evicted: [ConnectionID]) {
        for id in evicted { sessions[id]?.connection?.end(Self.crowded) }
    }

    private static let crowded = ConnectError(
        .refused, "was closed for a newer connection before it proved that it holds the key")

    /// The handshake with a peer that has proved that it holds the key.
    var handshake: ServerHandshake {
        if resources.admission.isDraining {
            return ServerHandshake(node: info, obstacle: (.draining, "the node is draining"))
        }
        if let pause {
            return ServerHandshake(node: info, obstacle: (.paused, "is paused: \(pause.reason)"))
        }
        if let refusal = connections.refusal {
            return ServerHandshake(node: info, obstacle: (.tooManyConnections, refusal))
        }
        var info = info
        info.busy = resources.admission.inFlight
        return ServerHandshake(node: info)
    }

    /// A coordinator's hello was accepted.
    func opened(_ id: ConnectionID) {
        connections.opened(id)
        publish()
    }

    /// A connection has ended.
    func ended(_ id: ConnectionID) {
        connections.ended(id)
        publish()
    }

    /// Reports that a peer was refused, once a minute for each address.
    func reportRefused(_ peer: SocketAddress, _ reason: String) {
        guard let unlogged = refusals.admit(peer.host, at: loop.now) else { return }
        onEvent(.refused(peer: "\(peer)", reason: reason, unlogged: unlogged))
    }

    private func closed(_ id: ConnectionID) {
        connections.closed(id)
        let session = sessions.removeValue(forKey: id)
        // Tasks that still run retain the session, which no longer needs the connection's memory.
        session?.connection = nil
        publish()
        if sessions.isEmpty, isStopped || resources.admission.isDraining { resumeDrained() }
    }

    // MARK: Tasks

    /// Counts a task that has ended, and frees its room.
    func release(_ task: NodeSession.TakenTask) {
        done += task.isDone ? 1 : 0
        hasDrained = resources.finish(task.grant)
    }

    /// Tasks have ended, and were answered.
    private func answered() {
        publish()
        if hasDrained { finishDraining() }
        hasDrained = false
        if pause != nil || sessions.values.contains(where: \.isLeaving) { continuePause() }
    }

    func publish() {
        let admission = resources.admission
        let status = Status(
            connections: connections.coordinators, running: admission.running, queued: admission.queued, done: done,
            bulkBytes: resources.cache.used)
        shared.withLock { $0 = status }
    }

    private func closeSystem() {
        if ownsSystem { system.closeSlots() }
    }

    // MARK: Draining

    private func finishDraining() {
        isStopped = true
        closeSystem()
        for session in sessions.values {
            session.connection?.end(
                ConnectError(.lost, "was disconnected by this node, which has drained"), politely: true)
        }
        if sessions.isEmpty { resumeDrained() }
    }

    private func resumeDrained() {
        for continuation in drained { continuation.resume() }
        drained = []
    }
}
