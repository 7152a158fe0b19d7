import ScanCluster
import ScanNetwork
import ScanSlots

/// A node: a process that admits tasks by the product's own state machines, runs them in virtual time, and sometimes
/// fails.
final class SimulatedNode: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    /// A coordinator's connection.
    private final class Session {
        let connection: SimulatedConnection
        var liveness: Liveness
        var state: NodeSession.State<SimulatedRun>
        /// The requests that were taken, and neither cancelled nor answered since: an account beside the product's.
        var open: Set<UInt64> = []

        init(_ connection: SimulatedConnection, now: Instant) {
            self.connection = connection
            liveness = Liveness(timing: ConnectionTiming(), now: now)
            state = NodeSession.State(connection.number)
        }
    }

    private enum Phase {
        case up
        /// The process is stopped for a while; messages wait.
        case frozen
        /// The process has ended. A machine without power does not reset its connections.
        case down(isSilent: Bool)
    }

    let index: Int
    let plan: SimulationScenario.Node
    let isLocal: Bool
    let world: SimulatedWorld
    private(set) var identity = SystemID(high: 0, low: 0)
    /// No message passes until then.
    var cutUntil = Instant(nanoseconds: 0)
    private var slowness = 1.0
    private var phase = Phase.down(isSilent: true)
    private var postponed: [@Sendable () -> Void] = []
    /// Number of the process: timers of earlier ones are ignored.
    private var generation = 0
    private var resources: NodeResources
    private var sessions: [Int: Session] = [:]
    private typealias Queue = ScanThreads.FairQueue<SimulatedRun>
    private var queue: Queue
    private var running: [Int: Queue.Taken] = [:]
    private var serial = 0

    init(index: Int, plan: SimulationScenario.Node, isLocal: Bool = false, world: SimulatedWorld) {
        self.index = index
        self.plan = plan
        self.isLocal = isLocal
        self.world = world
        resources = Self.resources(plan)
        queue = Self.queue(plan)
    }

    private static func queue(_ plan: SimulationScenario.Node) -> Queue {
        Queue(SlotRoom(slots: plan.slots, memory: plan.memory))
    }

    private static func resources(_ plan: SimulationScenario.Node) -> NodeResources {
        NodeResources(
            admission: .init(slots: plan.slots, queueLimit: plan.queue), cache: .init(limit: 8),
            readsReferences: plan.files != nil)
    }

    var name: String { isLocal ? "local" : "node-\(index)" }

    /// Tasks that occupy the node.
    var inFlight: Int { resources.admission.inFlight }

    private var info: NodeInfo {
        var info = NodeInfo(
            identity: identity, name: name, slots: plan.slots, queueLimit: plan.queue,
            taskTypes: plan.knowsType ? [SimulatedTask.typeName] : ["simulation.other/1"], frameLimit: 1 << 20)
        info.forgetsBulk = true
        info.readsReferences = plan.files == nil ? nil : true
        info.memory = plan.memory
        info.unpacks = plan.unpacks == nil ? nil : SimulatedUnpacker.form
        return info
    }

    // MARK: Life

    /// A new process starts.
    func start() {
        guard case .down = phase else { return }
        generation += 1
        identity = SystemID(high: UInt64(index), low: UInt64(generation))
        resources = Self.resources(plan)
        (sessions, queue, running, postponed) = ([:], Self.queue(plan), [:], [])
        phase = .up
    }

    /// The process ends at once. Without power its connections are not reset.
    func crash(hasPower: Bool) {
        if case .down = phase { return }
        world.note(hasPower ? .crash : .powerFailure, index)
        generation += 1
        phase = .down(isSilent: !hasPower)
        for session in sorted() where hasPower {
            session.connection.sendToCoordinator(.reset("the connection was reset"))
        }
        reset()
        resources = Self.resources(plan)
    }

    /// Removes its tasks and its connections, which refer to the node: it is down, or the simulation is over.
    func reset() { (sessions, queue, running, postponed) = ([:], Self.queue(plan), [:], []) }

    func freeze(until end: Instant) {
        guard case .up = phase else { return }
        world.note(.freeze, index)
        phase = .frozen
        let generation = generation
        world.at(end) { [self] in
            guard generation == self.generation, case .frozen = phase else { return }
            phase = .up
            let waiting = postponed
            postponed = []
            for body in waiting { body() }
        }
    }

    /// Scans take this much longer, beginning with the next one.
    func slow(by factor: Double, until end: Instant) {
        world.note(.slowPeriod, index)
        slowness = factor
        world.at(end) { [self] in slowness = 1 }
    }

    /// Takes no more tasks, finishes those it has, and ends.
    func drain() {
        guard case .up = phase, !resources.admission.isDraining else { return }
        world.note(.drain, index)
        for session in sorted() {
            session.connection.sendToCoordinator(
                .frame { $0.putGoodbye(draining: true, message: "the node is draining") })
        }
        if resources.drain() { leave() }
    }

    private func leave() {
        for session in sorted() { session.connection.sendToCoordinator(.reset("the node has drained")) }
        generation += 1
        (sessions, queue, running, postponed) = ([:], Self.queue(plan), [:], [])
        phase = .down(isSilent: false)
        // Its operator starts the node again.
        world.after(.seconds(1)) { [self] in start() }
    }

    /// In order of their numbers, so that a scenario is reproducible.
    private func sorted() -> [Session] { sessions.sorted { $0.key < $1.key }.map(\.value) }

    /// Runs a closure unless the process has ended meanwhile, and not while it is stopped.
    private func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        let generation = generation
        world.after(delay) { [self] in
            guard generation == self.generation else { return }
            if case .frozen = phase { postponed.append(body) } else { body() }
        }
    }

    // MARK: Messages

    func receive(_ message: SimulatedMessage, on connection: SimulatedConnection) {
        switch phase {
        case .down(isSilent: true): break
        case .down(isSilent: false): connection.sendToCoordinator(.reset("the connection was refused"))
        case .frozen: postponed.append { [self] in take(message, on: connection) }
        case .up: take(message, on: connection)
        }
    }

    private func take(_ message: SimulatedMessage, on connection: SimulatedConnection) {
        if case .hello(let coordinator) = message { return greet(coordinator, connection) }
        guard let session = sessions[connection.number] else {
            // The message belongs to a connection that has ended, or that this process never had.
            if case .closed = message { return }
            return connection.sendToCoordinator(.reset("the connection was reset"))
        }
        session.liveness.sign(at: world.clock.now)
        switch message {
        case .frame(let frame):
            do {
                try frame.decode { (frame) throws(ProtocolError) in try received(frame, of: session) }
            } catch {
                world.fail("\(name) got a frame that \(error)")
            }
        case .closed: end(connection.number)
        case .hello, .welcome, .reset: break
        }
    }

    private func received(_ frame: Frame, of session: Session) throws(ProtocolError) {
        switch frame {
        case .task(let frame): try admit(frame, of: session)
        case .cancel(let request):
            let run = session.state.cancel(request)
            session.open.remove(request)
            checkRequests(of: session)
            if let run { cancel(run) }
        case .ping(let token): session.connection.sendToCoordinator(.frame { $0.putPong(token) })
        case .pong(let token): session.liveness.pong(token, at: world.clock.now)
        case .weight(let weight): session.state.weight = CoordinatorInfo.accepted(weight)
        case .goodbye: break
        case .response, .refusal, .call, .reply, .report: throw ProtocolError("a coordinator sent a node's frame")
        }
    }

    private func greet(_ coordinator: CoordinatorInfo, _ connection: SimulatedConnection) {
        if resources.admission.isDraining {
            return connection.sendToCoordinator(.reset("the node is draining"))
        }
        if sessions[connection.number] == nil {
            let session = Session(connection, now: world.clock.now)
            _ = session.state.opened(by: coordinator, at: "simulated")
            sessions[connection.number] = session
            check(connection.number)
        }
        connection.sendToCoordinator(.welcome(info))
    }

    private func check(_ number: Int) {
        guard let session = sessions[number] else { return }
        switch session.liveness.check(at: world.clock.now) {
        case .lost: return end(number)
        case .ping(let token): session.connection.sendToCoordinator(.frame { $0.putPing(token) })
        case .wait: break
        }
        after(session.liveness.nextCheck.since(world.clock.now)) { [self] in check(number) }
    }

    private func end(_ number: Int) {
        guard let session = sessions.removeValue(forKey: number) else { return }
        let (_, cancelled) = session.state.connectionEnded("has ended", on: &resources)
        for run in cancelled.sorted(by: { $0.serial < $1.serial }) { cancel(run) }
    }

    // MARK: Tasks

    private func admit(_ frame: TaskFrame, of session: Session) throws(ProtocolError) {
        let connection = session.connection
        // On an unreliable network a frame may arrive twice.
        if !world.scenario.network.isStream, session.state.isPending(frame.request) { return }
        guard let task = try? WireDecoder().decode(SimulatedTask.self, from: frame.task) else {
            throw ProtocolError("sent what is no simulated task")
        }
        func refuse(_ reason: RefusalReason, _ message: String) {
            world.note(reason == .unknownType ? .unknownType : .refused, index)
            connection.sendToCoordinator(
                .frame { $0.putRefusal(request: frame.request, reason: reason, message: message) })
        }
        if happens(\.refused) { return refuse(.queueFull, "refused by the simulation") }
        let action = try session.state.received(frame, isKnown: plan.knowsType, on: &resources) { grant in
            serial += 1
            return SimulatedRun(frame, task, grant: grant, connection: connection.number, serial: serial)
        }
        switch action {
        case .run(let run):
            session.open.insert(run.request)
            queue.append(run, of: connection.number)
        case .refuse(let reason, let message, _): refuse(reason, message)
        }
        work()
    }

    private func work() {
        while let work = queue.popFirst(isDropped: \.isCancelled) {
            let run = work.element
            if run.isCancelled {
                queue.ended(work, seconds: 0)
                if resources.finish(run.grant) { return leave() }
            } else if !run.isDecoded, run.needs != .one {
                run.isDecoded = true
                queue.postpone(work, until: run.needs)
            } else {
                start(work)
            }
        }
    }

    private func start(_ work: Queue.Taken) {
        let run = work.element
        running[run.serial] = work
        let needs = running.values.map(\.element.needs)
        if needs.reduce(0, { $0 + $1.slots }) > plan.slots || needs.reduce(0, { $0 + $1.memory }) > plan.memory {
            world.fail("\(name) gives its slots or its memory twice")
        }
        world.note(.attempt, index, run.task.id)
        var seconds = run.task.cost / plan.speed * slowness * Double.random(in: 0.8...1.2, using: &world.random)
        run.seconds = seconds
        run.result = result(of: run)
        if happens(\.slow) {
            world.note(.slow, index)
            seconds *= world.random.magnitude(2...50)
        }
        if happens(\.stuck) { return world.note(.stuck, index) }
        let taken = seconds
        after(.seconds(taken)) { [self] in
            guard let work = running.removeValue(forKey: run.serial) else { return }
            queue.ended(work, seconds: taken)
            world.note(.finished, index, run.task.id)
            let isDrained = resources.finish(run.grant)
            if let session = sessions[run.connection] { answer(run, of: session) }
            finished(isDrained)
        }
    }

    private func result(of run: SimulatedRun) -> CodedResult {
        do {
            let unpacker = SimulatedUnpacker(isBroken: plan.unpacks == false)
            let bulk = try run.bulk(by: SimulatedFiles(state: plan.files ?? .missing), unpacker)
            if bulk != nil, bulk === run.readBulk, run.grant.referred == nil { world.note(.bulkUnpacked, index) }
            if bulk?.withUnsafeBytes({ $0.first }) != run.task.bulkByte {
                world.fail("\(name) runs task \(run.task.id) with wrong bytes")
            }
        } catch {
            world.note(.bulkElsewhere, index)
            return .bulkElsewhere("\(error)")
        }
        if run.readBulk != nil { world.note(.bulkRead, index) }
        if run.task.isPoisoned || happens(\.throwing) {
            world.note(.threw, index)
            return .failure("a fault of the simulation")
        }
        var output = run.task.output
        if !isLocal, happens(\.garbage) {
            world.note(.garbage, index)
            output = .max
        } else if happens(\.oddSeconds) {
            run.seconds = [0, -1, .nan, .infinity, 1e300].randomElement(using: &world.random) ?? 0
        }
        do { return .output(try WireEncoder().encode(output)) } catch { return .failure("\(error)") }
    }

    private func answer(_ run: SimulatedRun, of session: Session) {
        func respond(_ succeeded: Bool, _ keptBulk: Bool, _ body: [UInt8]) {
            let message = SimulatedMessage.frame { writer in
                body.withUnsafeBytes { body in
                    writer.putResponse(
                        ResponseFrame(
                            request: run.request, identity: run.identity, succeeded: succeeded, keptBulk: keptBulk,
                            seconds: run.seconds, body: body))
                }
            }
            session.connection.sendToCoordinator(message)
        }
        session.open.remove(run.request)
        defer { checkRequests(of: session) }
        switch session.state.ended(run, on: &resources) {
        case .nothing: break
        case .output(let bytes, let keptBulk): respond(true, keptBulk, bytes)
        case .failure(let failure, let keptBulk, _): respond(false, keptBulk, failure.encoded)
        case .requestBulk(let message, _):
            session.connection.sendToCoordinator(
                .frame { $0.putRefusal(request: run.request, reason: .bulkElsewhere, message: message) })
        }
    }

    private func checkRequests(of session: Session) {
        let inFlight = session.state.inFlight
        guard inFlight != session.open.count else { return }
        world.fail(
            "\(name) has \(inFlight) requests open, of which \(session.open.count) were neither cancelled nor answered")
    }

    private func cancel(_ run: SimulatedRun) {
        world.note(.cancelled, index)
        run.isCancelled = true
        guard let taken = running.removeValue(forKey: run.serial) else { return work() }
        queue.ended(taken, seconds: 0)
        finished(resources.finish(run.grant))
    }

    /// A task was removed; `isDrained`: the last one of a draining node.
    private func finished(_ isDrained: Bool) {
        if !resources.isConsistent { world.fail("\(name) miscounts its tasks or their bytes") }
        if isDrained { leave() } else { work() }
    }

    private func happens(_ fault: KeyPath<SimulationScenario.AttemptFaults, Double>) -> Bool {
        !world.isCalm && world.random.chance(world.scenario.attempts[keyPath: fault])
    }
}
