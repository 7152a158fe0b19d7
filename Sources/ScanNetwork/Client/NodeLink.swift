package import ScanCluster

/// Keeps one address connected, and its node among the systems. Confined to the loop's thread.
final class NodeLink: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    private(set) var state: NodeState
    private let address: Result<SocketAddress, AddressError>
    private let systems: Systems
    private let options: RemoteNodes.Options
    private let loop: EventLoop
    private let changed: (NodeLink) -> Void
    private var machine = LinkStateMachine()
    private var dialer: Dialer?
    private var transport: TCPTransport?
    private var timer: TimerID?

    /// `changed` is called whenever ``state`` has.
    init(
        address: String, systems: Systems, options: RemoteNodes.Options, loop: EventLoop,
        changed: @escaping (NodeLink) -> Void
    ) {
        state = NodeState(address: address)
        do {
            self.address = .success(try SocketAddress(parsing: address))
        } catch {
            self.address = .failure(error)
        }
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
        switch address {
        case .failure(let error): failed(.failed(ScanError(.unreachable, "\(error)")))
        case .success(let address):
            let info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit)
            let dialer = Dialer(loop: loop, address: address, info: info, timing: options.timing) {
                [weak self] result in
                guard let self else { return }
                self.dialer = nil
                switch result {
                case .success((let node, let connection)): join(node, connection)
                case .failure(var error):
                    error.system = self.state.address
                    failed(.failed(error))
                }
            }
            self.dialer = dialer
            dialer.start()
        }
    }

    private func join(_ node: NodeInfo, _ connection: Connection) {
        machine.connected(at: loop.now)
        state.node = node
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
        } else {
            transport.close()
            machine.standBy()
            set(.duplicate(of: ""))
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
        _ address: String, options: Options = Options(), loop: EventLoop = .shared
    ) async throws -> ScanSystem {
        let target = try SocketAddress(parsing: address)
        let info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit)
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                let dialer = Dialer(loop: loop, address: target, info: info, timing: options.timing) { result in
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
