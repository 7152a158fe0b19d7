import ScanCluster
import ScanNetwork

/// A coordinator's process: systems, links, and the real ``ScanCoordinator`` over them.
final class SimulatedCoordinator: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    let systems: Systems
    private let links: SimulatedLinks
    private let world: SimulatedWorld
    private(set) var isDead = false
    /// State that ends with the process, by the number of the job.
    private var consumers: [Int: Task<Void, Never>] = [:]
    private var decisions: [Int: Decision] = [:]

    /// The state of a job when it last started what could start, that of the systems, and when that was.
    private struct Decision {
        let inspection: ScanCoordinator.Inspection
        let systems: Systems.State
        let at: Instant
    }

    init(nodes: [SimulatedNode], world: SimulatedWorld) {
        self.world = world
        let systems = Systems(clock: world.clock, bulkLimit: 4)
        self.systems = systems
        links = SimulatedLinks(to: nodes, systems: systems, world: world)
    }

    func start() { links.start() }

    /// Attempts that transports wait for.
    var waiting: Int { links.waiting }

    func close() { links.close() }

    /// SIGKILL.
    func die() {
        guard !isDead else { return }
        world.note(.coordinatorKilled)
        isDead = true
        links.die()
        for consumer in consumers.sorted(by: { $0.key < $1.key }) { consumer.value.cancel() }
    }

    /// Runs a job; `take` gets each response, and may end the job by returning false.
    /// - Returns: why it ended early, if it did.
    func run(
        job: Int, _ tasks: [SimulatedTask], take: @escaping @Sendable (TaskResponse<SimulatedTask>) async -> Bool
    ) async -> ScanError? {
        var coordinator = ScanCoordinator(
            systems: systems, options: world.scenario.options, clock: world.clock, executor: world.executor)
        coordinator.inspector = { [weak self] in self?.inspect($0, job: job) }
        let error = Locked<ScanError?>(nil)
        let consumer = Task(executorPreference: world.executor) { [world, coordinator] in
            // The last task of each band has `isLastUse`, although some others may still be in flight.
            let last = Dictionary(tasks.compactMap { task in task.band.map { ($0, task.id) } }) { max($0, $1) }
            let sendsReferences = world.scenario.sendsReferences
            let bulk: @Sendable (SimulatedTask) -> BulkSource? = { task in
                guard let band = task.band, let byte = task.bulkByte else { return nil }
                let reference = BulkReference(origin: [UInt8(truncatingIfNeeded: job)], part: [byte])
                return BulkSource(
                    key: BulkKey(job: UInt64(job), index: band), isLastUse: last[band] == task.id,
                    reference: sendsReferences ? reference : nil, byteCount: 1
                ) { (packing: BulkPacking) in
                    packing > .none ? SimulatedUnpacker.packed(byte) : BulkBytes(byteCount: 1) { $0[0] = byte }
                }
            }
            let tally = AttemptTally()
            let observer = { @Sendable (event: TaskEvent) in tally.note(event, in: world) }
            do throws(ScanError) {
                for try await response in coordinator.responses(to: tasks, bulk: bulk, observer: observer) {
                    if await !take(response) { break }
                }
            } catch let failure {
                error.withLock { $0 = failure }
            }
        }
        consumers[job] = consumer
        if isDead { consumer.cancel() }
        await consumer.value
        consumers[job] = nil
        decisions[job] = nil
        return error.withLock { $0 }
    }

    private func inspect(_ inspection: ScanCoordinator.Inspection, job: Int) {
        if let contradiction = inspection.state.contradiction { world.fail("job \(job): \(contradiction)") }
        decisions[job] =
            inspection.state.isDone
            ? nil : Decision(inspection: inspection, systems: systems.state, at: world.clock.now)
    }

    /// Checks the invariants; if `isIdle`, also that no task waits although a system has room.
    func check(isIdle: Bool) {
        let systems = systems.state
        if let contradiction = systems.contradiction { world.fail(contradiction) }
        guard isIdle, !isDead, world.scenario.consumption == nil else { return }
        for (job, decision) in decisions.sorted(by: { $0.key < $1.key }) where !decision.inspection.isHeldUp {
            if let fault = fault(of: decision, systems) { world.fail("job \(job): \(fault)") }
        }
    }

    /// Why the tasks of a job must not wait any longer; nil if they may. A run with a wake-up compares again then.
    private func fault(of decision: Decision, _ systems: Systems.State) -> String? {
        let (state, now) = (decision.inspection.state, world.clock.now)
        guard state.wakeUp == nil, !state.ledger.pending.isEmpty else { return nil }
        func choice(prefetching: Bool, at instant: Instant) -> SystemID? {
            var systems = systems
            return systems.pick(
                from: state.ledger.pending, excluding: state.excluded, run: RunID(rawValue: 0),
                prefetching: prefetching, at: instant)?.reservation.system
        }
        if choice(prefetching: false, at: now) != nil { return "a task waits although a slot idles" }
        // The end of any attempt, and of the time for which a system is set aside, wakes all runs.
        let isAwaited = systems.members.contains { $0.inFlight > 0 || $0.backOff.isSetAside(at: now) }
        // A large task may wait for a system that is away.
        let mayRun = systems.members.contains { member in
            !state.excluded.contains(member.id) && state.ledger.pending.contains { member.suits($0.request.needs) }
        }
        if !isAwaited, mayRun, systems.hasIdleSlot(excluding: state.excluded, at: now) {
            return "a task waits for nobody"
        }
        // All slots that suit are taken, so that a task would wait there too. That it would now be done there sooner than
        // where the run has planned it wakes nobody if only time has passed, or if another run has taken room, which
        // changes the plan and may move what is kept for a large task: the end of a task in those slots will.
        guard let chosen = choice(prefetching: true, at: decision.at) else { return nil }
        var (isTaken, isGained) = (false, true)
        for earlier in decision.systems.members {
            guard let member = systems.members.first(where: { $0.id == earlier.id }) else { continue }
            if earlier.hasMoreRoom(than: member) { isTaken = true }
            if member.id == chosen { isGained = member.hasMoreRoom(than: earlier) }
        }
        return isGained || !isTaken ? "a task waits although a system has room" : nil
    }
}

extension Systems.State.Member {
    /// Whether more of something is free there than it was at another time.
    fileprivate func hasMoreRoom(than other: Systems.State.Member) -> Bool {
        inFlight + furtherSlots + abandoned < other.inFlight + other.furtherSlots + other.abandoned
            || usedMemory < other.usedMemory || suspects < other.suspects || depth > other.depth
    }
}

/// Counts the failed attempts of a job.
private final class AttemptTally: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.
    private var failed: [Int: Int] = [:]

    func note(_ event: TaskEvent, in world: SimulatedWorld) {
        switch event {
        case .taskFinished(let index, _, _, _, _): world.note(.committed, -1, index)
        case .taskRetried(let index, _, _, _, _), .attemptLost(let index, _, _, _, _):
            world.note(.retried, -1, index)
            failed[index, default: 0] += 1
        case .taskHedged(let index, _, _, _, _): world.note(.hedged, -1, index)
        case .taskFailed(let index, _, let failure):
            world.note(.givenUp, -1, index)
            let attempts = failed[index, default: 0] + 1
            let options = world.scenario.options
            // A task may have been on two nodes that crashed for another reason.
            let hasEndedProcesses = failure.message.hasPrefix("ended the processes of ")
            let least =
                hasEndedProcesses
                ? ScanCoordinator.RunState.Ledger.lossLimit : min(options.maxAttempts, options.maxSystemFaults)
            if attempts < least {
                world.fail("task \(index) was given up after \(attempts) attempts")
            }
        case .taskStarted, .taskRecalled, .taskProgressed, .taskLogged, .systemJoined, .systemLeft: break
        }
    }
}
