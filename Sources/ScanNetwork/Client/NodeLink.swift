import Foundation
package import ScanCluster
package import ScanSecurity

/// Keeps a node connected and among the systems: one that was named for good, one that was found for as long as its
/// connection lasts. Confined to the loop's thread.
final class NodeLink: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    private(set) var state: NodeState
    /// Key of the node that was found; nil for an address that was given.
    let key: String?
    /// Identity that the node that was found claims.
    private var claim: SystemID?
    private var onOutcome: (RemoteNodes.DialOutcome) -> Void = { _ in }
    private var target: Result<Dialer.Target, AddressError>
    private var announcedKeys: [KeyFingerprint] = []
    private let keys: () -> KeyRing?
    private let systems: Systems
    private let options: RemoteNodes.Options
    private let loop: EventLoop
    private let changed: (NodeLink) -> Void
    private var machine: LinkStateMachine
    private var dialer: Dialer?
    private var transport: TCPTransport?
    private var timer: TimerID?

    /// `changed` is called whenever ``state`` has.
    init(
        address: String, keys: @escaping () -> KeyRing?, systems: Systems, options: RemoteNodes.Options,
        loop: EventLoop, changed: @escaping (NodeLink) -> Void
    ) {
        state = NodeState(address: address)
        do {
            target = .success(.host(try SocketAddress(parsing: address)))
        } catch {
            target = .failure(error)
        }
        key = nil
        machine = LinkStateMachine()
        self.keys = keys
        self.systems = systems
        self.options = options
        self.loop = loop
        self.changed = changed
    }

    /// A link to a node that was found. `changed` is called whenever ``state`` has.
    init(
        discovered key: String, keys: @escaping () -> KeyRing?, systems: Systems, options: RemoteNodes.Options,
        loop: EventLoop, changed: @escaping (NodeLink) -> Void
    ) {
        state = NodeState(address: "")
        state.status = .closed
        target = .success(.addresses([]))
        self.key = key
        machine = LinkStateMachine(isPersistent: false)
        self.keys = keys
        self.systems = systems
        self.options = options
        self.loop = loop
        self.changed = changed
    }

    /// The state, with the latest round trip.
    var current: NodeState {
        var state = state
        state.roundTrip = transport?.roundTrip
        return state
    }

    func start() { perform(machine.start()) }

    /// Makes one try at a node that was found, unless it is connected or being tried.
    func dial(
        _ peer: Systems.Peer, keys: [KeyFingerprint], onOutcome: @escaping (RemoteNodes.DialOutcome) -> Void
    ) {
        self.onOutcome = onOutcome
        claim = peer.identity
        state.announcedName = peer.name
        announcedKeys = keys
        target = .success(.addresses(peer.addresses.compactMap(RawAddress.init(numeric:))))
        if state.status == .joined { return onOutcome(.connected) }
        state.address = peer.addresses.first?.description ?? ""
        let action = machine.start()
        if action == .dial { set(.connecting) }
        perform(action)
    }

    /// The node that was found is in use already, through another link.
    func stand(behind peer: Systems.Peer, onOutcome: @escaping (RemoteNodes.DialOutcome) -> Void) {
        self.onOutcome = onOutcome
        claim = peer.identity
        state.announcedName = peer.name
        state.address = peer.addresses.first?.description ?? ""
        set(.duplicate(of: ""))
        onOutcome(.connected)
    }

    /// The node that was found is not in use any more through the other link.
    func release() {
        machine.close()
        set(.closed)
        onOutcome(.ended)
    }

    /// Identity of the node, as far as it is known.
    var identity: SystemID? { state.status == .joined ? state.node?.identity : claim ?? state.node?.identity }

    /// Dials at once if the link waits: what stood in the way may be gone.
    func retry() {
        cancelTimer()
        perform(machine.retry())
    }

    func close() {
        machine.close()
        cancelTimer()
        dialer?.cancel()
        dialer = nil
        let transport = transport
        self.transport = nil
        transport?.close()
        // Nothing more is told, and who wants to be told may hold the nodes themselves.
        onOutcome = { _ in }
        set(.closed)
    }

    private func perform(_ action: LinkStateMachine.Action) {
        switch action {
        case .nothing: break
        case .dial: dial()
        case .wait(let instant):
            timer = loop.schedule(at: instant) { [weak self] in self?.retry() }
        }
    }

    private func cancelTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func set(_ status: NodeState.Status) {
        state.status = status
        changed(self)
    }

    private func dial() {
        switch target {
        case .failure(let error): failed(.failed(ScanError(.unreachable, "\(error)")))
        case .success(let target):
            let info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit, job: options.job)
            let keys = keys()?.keys(for: announcedKeys, at: .now) ?? []
            let dialer = Dialer(
                loop: loop, target: target, keys: keys, info: info, timing: options.timing, sessions: options.sessions
            ) {
                [weak self] result in
                guard let self else { return }
                self.dialer = nil
                switch result {
                case .success((let node, let connection)): join(node, connection)
                case .failure(var error):
                    error.system = self.state.address
                    failed(.failed(error))
                    onOutcome(.failed(error))
                }
            }
            self.dialer = dialer
            dialer.start()
        }
    }

    private func join(_ node: NodeInfo, _ connection: Connection) {
        machine.connected(at: loop.now)
        state.node = node
        state.key = connection.key
        if key != nil { state.address = connection.peer.description }
        let node = distinct(node)
        var hasJoined = false
        let transport = TCPTransport(
            node: node, connection: connection,
            onDraining: { [systems] in systems.leave(node.identity) },
            onEnd: { [weak self, systems] error in
                // Only the link whose system joined may make it leave.
                if hasJoined { systems.leave(node.identity, isLost: true) }
                self?.lost(error)
            })
        let system = ScanSystem(
            remote: transport, id: node.identity, name: node.name, slots: node.slots,
            window: node.window(limit: options.window), clock: loop, executor: loop)
        if systems.join(system) {
            hasJoined = true
            self.transport = transport
            set(.joined)
            onOutcome(.connected)
        } else {
            transport.close()
            machine.standBy()
            set(.duplicate(of: ""))
            onOutcome(.connected)
        }
    }

    /// The node under a name that no other system has: its address is added where the names clash.
    private func distinct(_ node: NodeInfo) -> NodeInfo {
        var node = node
        if systems.snapshot.contains(where: { $0.name == node.name && $0.id != node.identity }) {
            node.name = "\(node.name) (\(state.address))"
        }
        return node
    }

    private func lost(_ error: ScanError) {
        guard transport != nil else { return }
        transport = nil
        failed(.failed(error))
        onOutcome(.ended)
    }

    private func failed(_ status: NodeState.Status) {
        set(status)
        perform(machine.failed(at: loop.now, jitter: Double.random(in: 0...1)))
    }
}

extension NodeInfo {
    /// Most tasks in flight to the node: what it admits, or `limit` if that is less. How many of them are of use, the
    /// measured pace decides.
    package func window(limit: Int?) -> Int { min(limit ?? .max, slots + queueLimit) }
}

extension RemoteNodes {
    /// Connects to one node, once, outside any registry.
    /// - Throws: ``AddressError`` or `ScanError`.
    package static func connect(
        _ address: String, keys: KeyRing, options: Options = Options(), loop: EventLoop = .shared
    ) async throws -> ScanSystem {
        let target = try SocketAddress(parsing: address)
        let info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit, job: options.job)
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                let dialer = Dialer(
                    loop: loop, target: .host(target), keys: keys.keys(at: .now), info: info, timing: options.timing
                ) { result in
                    continuation.resume(
                        with: result.map { node, connection in
                            let transport = TCPTransport(
                                node: node, connection: connection, onDraining: {}, onEnd: { _ in })
                            return ScanSystem(
                                remote: transport, id: node.identity, name: node.name, slots: node.slots,
                                window: options.window, clock: loop, executor: loop)
                        })
                }
                dialer.start()
            }
        }
    }
}
