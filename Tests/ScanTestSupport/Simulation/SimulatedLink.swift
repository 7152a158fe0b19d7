import ScanCluster
import ScanNetwork

/// Performs the actions of `LinkState` for one link, as `NodeLink` does with sockets: a coordinator's end of the
/// connections to one node.
final class SimulatedLink: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private let number: Int
    private let node: SimulatedNode
    private unowned let links: SimulatedLinks
    private var connection: SimulatedConnection?
    /// The transport over which the node has joined.
    private(set) var transport: SimulatedTransport?
    private var identity: SystemID?
    private var timer: TimerID?
    private var liveness = Liveness(timing: ConnectionTiming(), now: Instant(nanoseconds: 0))
    private var isDead = false

    private var world: SimulatedWorld { links.world }
    private var systems: Systems { links.systems }

    init(_ number: Int, to node: SimulatedNode, of links: SimulatedLinks) {
        (self.number, self.node, self.links) = (number, node, links)
    }

    func perform(_ action: LinkState.Action) {
        switch action {
        case .dial: dial()
        case .wait(let instant):
            timer = world.clock.schedule(at: instant) { [weak self] in self?.handle(.retry) }
        case .disconnect: disconnect()
        case .report(let outcome): links.report(outcome, of: number)
        case .close:
            if let identity, transport != nil { systems.leave(identity) }
            transport?.close()
            cancelTimer()
            (transport, connection) = (nil, nil)
        }
    }

    /// The process ends: nothing more is sent, and nothing received.
    func die() {
        isDead = true
        cancelTimer()
        connection?.link = nil
        transport?.connection = nil
        // The machine still runs: its kernel closes the connection.
        connection?.sendToNode(.closed)
    }

    private func handle(_ event: LinkState.Event) { links.handle(event, of: number) }

    private func cancelTimer() {
        if let timer { world.clock.cancel(timer) }
        timer = nil
    }

    private func disconnect() {
        connection?.sendToNode(.closed)
        connection = nil
    }

    private func dial() {
        let connection = SimulatedConnection(number: world.nextConnection(), node: node, link: self, world: world)
        self.connection = connection
        connection.sendToNode(.hello(CoordinatorInfo(name: "coordinator", frameLimit: 1 << 20)))
        timer = world.clock.schedule(at: world.clock.now.advanced(by: ConnectionTiming().handshake)) { [weak self] in
            self?.end(ConnectError(.disconnected, "did not answer the hello"))
        }
    }

    func receive(_ message: SimulatedMessage, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        liveness.sign(at: world.clock.now)
        switch message {
        case .welcome(let info): if transport == nil { connected(to: info, connection) }
        case .frame(let frame):
            do {
                try frame.decode { (frame) throws(ProtocolError) in try received(frame, on: connection) }
            } catch {
                end(ConnectError(.disconnected, "\(error)"))
            }
        case .closed: end(ConnectError(.lost, "closed the connection"))
        case .reset(let reason): end(ConnectError(.lost, reason))
        case .hello: break
        }
    }

    private func received(_ frame: Frame, on connection: SimulatedConnection) throws(ProtocolError) {
        switch frame {
        case .ping(let token): connection.sendToNode(.frame { $0.putPong(token) })
        case .pong(let token): liveness.pong(token, at: world.clock.now)
        case .goodbye(draining: true, _):
            if let identity { systems.leave(identity) }
            try transport?.received(frame)
        case .task, .response, .refusal, .cancel, .goodbye, .call, .reply, .weight, .report:
            try transport?.received(frame)
        }
    }

    private func connected(to info: NodeInfo, _ connection: SimulatedConnection) {
        cancelTimer()
        world.note(.connected, node.index, connection.number)
        let transport = SimulatedTransport(node: info, connection: connection, world: world)
        let system = ScanSystem(
            simulated: transport, id: info.identity, name: info.name, slots: info.slots,
            depth: info.slots + info.queueLimit, isLocal: node.isLocal, memory: info.memory, clock: world.clock,
            executor: world.executor)
        let hasJoined = systems.join(system)
        if hasJoined { (identity, self.transport) = (info.identity, transport) }
        handle(.connected(info.identity, hasJoined: hasJoined))
        liveness = Liveness(timing: ConnectionTiming(), now: world.clock.now)
        check(connection)
    }

    private func check(_ connection: SimulatedConnection) {
        guard connection === self.connection, !isDead else { return }
        switch liveness.check(at: world.clock.now) {
        case .lost: return end(ConnectError(.disconnected, "was silent"))
        case .ping(let token): connection.sendToNode(.frame { $0.putPing(token) })
        case .wait: break
        }
        world.at(liveness.nextCheck) { [weak self, weak connection] in
            if let connection { self?.check(connection) }
        }
    }

    private func end(_ error: ConnectError) {
        guard let connection else { return }
        world.note(.disconnected, node.index, connection.number)
        cancelTimer()
        disconnect()
        guard let transport, let identity else { return handle(.failed(error)) }
        self.transport = nil
        transport.end(error)
        systems.leave(identity, isLost: true)
        handle(.lost(error))
    }
}
