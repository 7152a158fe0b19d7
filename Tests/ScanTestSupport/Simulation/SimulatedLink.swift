import ScanCluster
import ScanNetwork

/// A coordinator's end of the connections to one node: dials, joins, and dials again, as `NodeLink` does with sockets.
final class SimulatedLink: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private let node: SimulatedNode
    private let systems: Systems
    private let world: SimulatedWorld
    private var machine = LinkStateMachine()
    private var connection: SimulatedConnection?
    private(set) var transport: SimulatedTransport?
    private var identity: SystemID?
    private var timer: TimerID?
    private var liveness = Liveness(timing: ConnectionTiming(), now: Instant(nanoseconds: 0))
    private var isDead = false

    init(to node: SimulatedNode, systems: Systems, world: SimulatedWorld) {
        self.node = node
        self.systems = systems
        self.world = world
    }

    func start() { perform(machine.start()) }

    /// Leaves the node.
    func close() {
        machine.close()
        cancelTimer()
        if let identity, transport != nil { systems.leave(identity) }
        transport?.close()
        (transport, connection) = (nil, nil)
    }

    /// The process ends: not another word is sent, and what comes is not heard.
    func die() {
        isDead = true
        machine.close()
        cancelTimer()
        connection?.link = nil
        transport?.connection = nil
        // The machine lives on, and says that there is no such process, if the message arrives.
        connection?.sendToNode(.closed)
    }

    private func perform(_ action: LinkStateMachine.Action) {
        switch action {
        case .nothing: break
        case .dial: dial()
        case .wait(let instant):
            timer = world.clock.schedule(at: instant) { [weak self] in self.map { $0.perform($0.machine.retry()) } }
        }
    }

    private func cancelTimer() {
        if let timer { world.clock.cancel(timer) }
        timer = nil
    }

    private func dial() {
        let connection = SimulatedConnection(number: world.nextConnection(), node: node, link: self, world: world)
        self.connection = connection
        let info = CoordinatorInfo(name: "coordinator", frameLimit: 1 << 20)
        connection.sendToNode(.hello(info))
        timer = world.clock.schedule(at: world.clock.now.advanced(by: ConnectionTiming().handshake)) { [weak self] in
            self?.end(ScanError(.timedOut, "did not answer the hello"))
        }
    }

    func receive(_ message: SimulatedMessage, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        liveness.sign(at: world.clock.now)
        switch message {
        case .welcome(let info): if transport == nil { join(info, connection) }
        case .frame(let frame):
            do {
                try frame.decode { (frame) throws(ProtocolError) in try received(frame, on: connection) }
            } catch {
                end(ScanError(.systemLost, "\(error)"))
            }
        case .closed: end(ScanError(.systemLost, "closed the connection"))
        case .reset(let reason): end(ScanError(.systemLost, reason))
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
        case .task, .response, .refusal, .cancel, .goodbye: try transport?.received(frame)
        }
    }

    private func join(_ info: NodeInfo, _ connection: SimulatedConnection) {
        cancelTimer()
        world.note(.connected, node.index, connection.number)
        machine.connected(at: world.clock.now)
        identity = info.identity
        let transport = SimulatedTransport(node: info, connection: connection, world: world)
        self.transport = transport
        let system = ScanSystem(
            simulated: transport, id: info.identity, name: info.name, slots: info.slots,
            window: info.slots + info.queueLimit, isLocal: node.isLocal, clock: world.clock,
            executor: world.executor)
        if !systems.join(system) { world.fail("\(node.name) was there already when it joined") }
        liveness = Liveness(timing: ConnectionTiming(), now: world.clock.now)
        check(connection)
    }

    private func check(_ connection: SimulatedConnection) {
        guard connection === self.connection, !isDead else { return }
        switch liveness.check(at: world.clock.now) {
        case .lost: return end(ScanError(.systemLost, "was silent"))
        case .ping(let token): connection.sendToNode(.frame { $0.putPing(token) })
        case .wait: break
        }
        world.at(liveness.nextCheck) { [weak self, weak connection] in
            if let connection { self?.check(connection) }
        }
    }

    private func end(_ error: ScanError) {
        guard let connection else { return }
        world.note(.disconnected, node.index, connection.number)
        cancelTimer()
        connection.sendToNode(.closed)
        self.connection = nil
        if let transport, let identity {
            self.transport = nil
            transport.end(error)
            systems.leave(identity, isLost: true)
        }
        perform(machine.failed(at: world.clock.now, jitter: Double.random(in: 0...1, using: &world.random)))
    }
}
