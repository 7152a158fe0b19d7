import ScanCluster
import ScanNetwork

/// A node: a process that admits tasks, runs them in virtual time, and has its troubles.
final class SimulatedNode: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    /// A coordinator's connection.
    private struct Session {
        let connection: SimulatedConnection
        var liveness: Liveness
        var requests: Set<UInt64> = []
    }

    /// A task that was admitted.
    private struct Run {
        let connection: Int
        let request: UInt64
        let task: SimulatedTask
        let bulk: Int
        let lent: Int
        let keptBulk: Bool
        /// Its place among all runs of the node.
        let serial: Int
    }

    /// The outcome of a run.
    private enum Answer {
        case output(UInt64, seconds: Double)
        case threw(String)
    }

    private enum Phase {
        case up
        /// The process does nothing until then; what comes waits.
        case frozen
        /// The process is gone. A machine without power does not even say so.
        case down(isSilent: Bool)
    }

    let index: Int
    let plan: SimulationScenario.Node
    let isLocal: Bool
    let world: SimulatedWorld
    private(set) var identity = SystemID(high: 0, low: 0)
    /// Until then no message passes.
    var cutUntil = Instant(nanoseconds: 0)
    private var slowness = 1.0
    private var phase = Phase.down(isSilent: true)
    private var postponed: [@Sendable () -> Void] = []
    /// Number of the process: what its predecessors began is void.
    private var generation = 0
    private var admission = AdmissionState(slots: 1, queueLimit: 0)
    private var cache = BulkCache(limit: 0)
    private var sessions: [Int: Session] = [:]
    private var queue: [Run] = []
    private var running: [Int: Run] = [:]
    private var serial = 0

    init(index: Int, plan: SimulationScenario.Node, isLocal: Bool = false, world: SimulatedWorld) {
        self.index = index
        self.plan = plan
        self.isLocal = isLocal
        self.world = world
    }

    var name: String { isLocal ? "local" : "node-\(index)" }

    /// Tasks that occupy the node.
    var inFlight: Int { admission.inFlight }

    private var info: NodeInfo {
        var info = NodeInfo(
            identity: identity, name: name, slots: plan.slots, queueLimit: plan.queue,
            scanners: [SimulatedTask.scanner], frameLimit: 1 << 20)
        info.forgetsBulk = true
        return info
    }

    // MARK: Life

    /// A new process starts.
    func start() {
        guard case .down = phase else { return }
        generation += 1
        identity = SystemID(high: UInt64(index), low: UInt64(generation))
        admission = AdmissionState(slots: plan.slots, queueLimit: plan.queue)
        cache = BulkCache(limit: 8)
        (sessions, queue, running, postponed) = ([:], [], [:], [])
        phase = .up
    }

    /// The process ends at once. Without power nobody is told.
    func crash(hasPower: Bool) {
        if case .down = phase { return }
        world.note(hasPower ? .crash : .powerFailure, index)
        generation += 1
        phase = .down(isSilent: !hasPower)
        for session in sorted() where hasPower {
            session.connection.sendToCoordinator(.reset("the connection was reset"))
        }
        letGo()
        admission = AdmissionState(slots: plan.slots, queueLimit: plan.queue)
    }

    /// Lets go of its tasks and its connections, which hold the node: it is down, or the simulation is over.
    func letGo() { (sessions, queue, running, postponed) = ([:], [], [:], []) }

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

    /// Scans take this much longer, from the next one on.
    func slow(by factor: Double, until end: Instant) {
        world.note(.slowPeriod, index)
        slowness = factor
        world.at(end) { [self] in slowness = 1 }
    }

    /// Takes no more tasks, finishes those it has, and ends.
    func drain() {
        guard case .up = phase, !admission.isDraining else { return }
        world.note(.drain, index)
        for session in sorted() {
            session.connection.sendToCoordinator(
                .frame { $0.putGoodbye(draining: true, message: "the node is draining") })
        }
        if admission.drain() { leave() }
    }

    private func leave() {
        for session in sorted() { session.connection.sendToCoordinator(.reset("the node has drained")) }
        generation += 1
        (sessions, queue, running, postponed) = ([:], [], [:], [])
        phase = .down(isSilent: false)
        // Whoever stopped it starts it again.
        world.after(.seconds(1)) { [self] in start() }
    }

    /// Dictionaries have no order of their own.
    private func sorted() -> [Session] { sessions.sorted { $0.key < $1.key }.map(\.value) }

    /// Does something unless the process has ended meanwhile, and not before it thaws.
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
        if case .hello = message { return greet(connection) }
        guard sessions[connection.number] != nil else {
            // Of a connection that has ended, or of one that this process never knew.
            if case .closed = message { return }
            return connection.sendToCoordinator(.reset("the connection was reset"))
        }
        sessions[connection.number]?.liveness.sign(at: world.clock.now)
        switch message {
        case .frame(let frame):
            do {
                try frame.decode { (frame) throws(ProtocolError) in try received(frame, on: connection) }
            } catch {
                world.fail("\(name) got a frame that \(error)")
            }
        case .closed: end(connection.number)
        case .hello, .welcome, .reset: break
        }
    }

    private func received(_ frame: Frame, on connection: SimulatedConnection) throws(ProtocolError) {
        switch frame {
        case .task(let frame): try admit(frame, on: connection)
        case .cancel(let request): cancel(request, on: connection.number)
        case .ping(let token): connection.sendToCoordinator(.frame { $0.putPong(token) })
        case .pong(let token): sessions[connection.number]?.liveness.pong(token, at: world.clock.now)
        case .goodbye: break
        case .response, .refusal: throw ProtocolError("a coordinator sent a node's frame")
        }
    }

    private func greet(_ connection: SimulatedConnection) {
        if admission.isDraining { return connection.sendToCoordinator(.reset("the node is draining")) }
        if sessions[connection.number] == nil {
            let liveness = Liveness(timing: ConnectionTiming(), now: world.clock.now)
            sessions[connection.number] = Session(connection: connection, liveness: liveness)
            check(connection.number)
        }
        connection.sendToCoordinator(.welcome(info))
    }

    private func check(_ number: Int) {
        guard var session = sessions[number] else { return }
        let action = session.liveness.check(at: world.clock.now)
        sessions[number] = session
        switch action {
        case .lost: return end(number)
        case .ping(let token): session.connection.sendToCoordinator(.frame { $0.putPing(token) })
        case .wait: break
        }
        after(session.liveness.nextCheck.since(world.clock.now)) { [self] in check(number) }
    }

    /// The lease ends with the connection.
    private func end(_ number: Int) {
        guard let session = sessions.removeValue(forKey: number) else { return }
        cache.drop(number)
        for request in session.requests.sorted() { cancel(request, on: number) }
    }

    // MARK: Tasks

    private func admit(_ frame: TaskFrame, on connection: SimulatedConnection) throws(ProtocolError) {
        let (number, request, key, bulk) = (connection.number, frame.request, frame.key, frame.bulk)
        guard sessions[number]?.requests.contains(request) == false else { return }
        guard let task = try? WireDecoder().decode(SimulatedTask.self, from: frame.task) else {
            throw ProtocolError("sent what is no simulated task")
        }
        func refuse(_ reason: RefusalReason) {
            world.note(.refused, index)
            connection.sendToCoordinator(
                .frame { $0.putRefusal(request: request, reason: reason, message: "\(reason)") })
        }
        if bulk == nil, let key, cache.find(key, of: number) == nil { return refuse(.bulkMissing) }
        if happens(\.refused) { return refuse(.queueFull) }
        let size = bulk?.count ?? 0
        if case .refuse(let reason) = admission.admit(bulk: size) { return refuse(reason) }
        var isKept = false
        var lent = 0
        if frame.isLastUse, let key {
            lent = cache.lend(key, of: number)
        } else if let bulk, let key {
            isKept = cache.keep(bulk, as: key, of: number)
        }
        sessions[number]?.requests.insert(request)
        serial += 1
        queue.append(
            Run(
                connection: number, request: request, task: task, bulk: size, lent: lent, keptBulk: isKept,
                serial: serial))
        work()
    }

    private func work() {
        while running.count < plan.slots, !queue.isEmpty { run(queue.removeFirst()) }
    }

    private func run(_ run: Run) {
        running[run.serial] = run
        world.note(.attempt, index, run.task.id)
        var seconds = run.task.cost / plan.speed * slowness * Double.random(in: 0.8...1.2, using: &world.random)
        var answer = Answer.output(run.task.output, seconds: seconds)
        if run.task.isPoisoned || happens(\.throwing) {
            world.note(.threw, index)
            answer = .threw("a bad day")
        } else if !isLocal, happens(\.garbage) {
            world.note(.garbage, index)
            answer = .output(.max, seconds: seconds)
        } else if happens(\.oddSeconds) {
            let odd = [0, -1, .nan, .infinity, 1e300].randomElement(using: &world.random)
            answer = .output(run.task.output, seconds: odd ?? 0)
        }
        if happens(\.slow) {
            world.note(.slow, index)
            seconds *= world.random.magnitude(2...50)
        }
        if happens(\.stuck) { return world.note(.stuck, index) }
        after(.seconds(seconds)) { [self, answer] in
            guard running.removeValue(forKey: run.serial) != nil else { return }
            world.note(.finished, index, run.task.id)
            if let session = sessions[run.connection], session.requests.contains(run.request) {
                sessions[run.connection]?.requests.remove(run.request)
                send(answer, of: run, on: session.connection)
            }
            finish(run)
        }
    }

    private func send(_ answer: Answer, of run: Run, on connection: SimulatedConnection) {
        func put(_ succeeded: Bool, _ seconds: Double, _ body: [UInt8]) {
            connection.sendToCoordinator(
                .frame { writer in
                    body.withUnsafeBytes {
                        writer.putResponse(
                            request: run.request, succeeded: succeeded, keptBulk: run.keptBulk, seconds: seconds,
                            body: $0)
                    }
                })
        }
        switch answer {
        case .threw(let message): put(false, 0, CodedFailure(cause: message, log: []).encoded)
        case .output(let output, let seconds): put(true, seconds, (try? WireEncoder().encode(output)) ?? [])
        }
    }

    private func cancel(_ request: UInt64, on number: Int) {
        sessions[number]?.requests.remove(request)
        func isMeant(_ run: Run) -> Bool { run.connection == number && run.request == request }
        if let position = queue.firstIndex(where: isMeant) {
            world.note(.cancelled, index)
            finish(queue.remove(at: position))
        } else if let run = running.values.first(where: isMeant) {
            world.note(.cancelled, index)
            running[run.serial] = nil
            finish(run)
        }
    }

    private func finish(_ run: Run) {
        cache.giveBack(run.lent)
        if !admission.isConsistent || !cache.isConsistent { world.fail("\(name) miscounts its tasks or their bytes") }
        if admission.finish(bulk: run.bulk) { leave() } else { work() }
    }

    private func happens(_ fault: KeyPath<SimulationScenario.AttemptFaults, Double>) -> Bool {
        !world.isCalm && world.random.chance(world.scenario.attempts[keyPath: fault])
    }
}
