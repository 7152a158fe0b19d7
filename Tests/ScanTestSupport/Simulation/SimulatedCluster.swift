import ScanCluster
import ScanNetwork

/// The outcome of a simulation.
package struct SimulationReport: Sendable {
    /// The first fault; nil if there was none.
    package var violation: String?
    /// A digest of all events, in their order.
    package var fingerprint: UInt64
    /// How often each event happened.
    package var census: [SimulatedEvent: Int]
    /// Virtual time that passed, in seconds.
    package var seconds: Double
    /// Virtual time from the beginning of the jobs until all had ended, in seconds.
    package var jobSeconds: Double
}

/// A coordinator and its nodes in one thread: the real ``ScanCoordinator`` and the real state machines of both sides
/// over a simulated network, clock and chance. The same scenario always runs the same way.
package struct SimulatedCluster: Sendable {
    private let world: SimulatedWorld
    private let nodes: [SimulatedNode]
    private let local: [SimulatedNode]
    private let coordinators: [Current]

    /// A coordinator's present process.
    private final class Current: @unchecked Sendable {
        // Sendable: touched only on the simulation's thread.
        var process: SimulatedCoordinator
        init(_ process: SimulatedCoordinator) { self.process = process }
    }

    /// The cluster of a scenario. `trace` is called for each event.
    package init(_ scenario: SimulationScenario, trace: ((String) -> Void)? = nil) {
        let world = SimulatedWorld(scenario, trace: trace)
        self.world = world
        nodes = scenario.nodes.enumerated().map { SimulatedNode(index: $0.offset, plan: $0.element, world: world) }
        let plan = SimulationScenario.Node(
            slots: scenario.localSlots, queue: 0, speed: 1, joins: Instant(nanoseconds: 0))
        local =
            scenario.localSlots == 0 ? [] : [SimulatedNode(index: nodes.count, plan: plan, isLocal: true, world: world)]
        coordinators = (0..<scenario.coordinators).map { [local, nodes] number in
            Current(SimulatedCoordinator(nodes: number == 0 ? local + nodes : nodes, world: world))
        }
    }

    /// Runs the scenario to its end, or to the first fault.
    package func run() -> SimulationReport {
        arrange()
        let scenario = world.scenario
        let ended = Ended()
        let isEnded: Void? = world.executor.run(until: scenario.limit) { isIdle in
            for coordinator in coordinators { coordinator.process.check(isIdle: isIdle) }
            return world.violation == nil
        } _: {
            [self] in
            await world.sleep(until: scenario.begins)
            await withTaskGroup(of: Void.self) { group in
                for job in 0..<scenario.jobs { group.addTask { await run(job: job) } }
            }
            ended.seconds = world.clock.now.since(scenario.begins) / .seconds(1)
            await checkEnd()
        }
        if isEnded == nil { world.fail("a job does not end") }
        var census: [SimulatedEvent: Int] = [:]
        for event in SimulatedEvent.allCases { census[event] = world.census[event.rawValue] }
        defer {
            for node in local + nodes { node.reset() }
            world.clock.cancelAll()
        }
        return SimulationReport(
            violation: world.violation, fingerprint: world.fingerprint, census: census,
            seconds: world.clock.now.seconds, jobSeconds: ended.seconds)
    }

    private final class Ended: @unchecked Sendable {
        // Sendable: touched only on the simulation's thread.
        var seconds = 0.0
    }

    // MARK: Faults

    /// Sets the timers of all scheduled events.
    private func arrange() {
        let (world, scenario) = (world, world.scenario)
        for node in nodes {
            world.at(node.plan.joins) { node.start() }
            if scenario.faultInterval != nil { trouble(node) }
        }
        for node in local { node.start() }
        for coordinator in coordinators { coordinator.process.start() }
        for instant in scenario.kills { world.at(instant) { restart() } }
        for jump in scenario.jumps {
            world.at(jump.at) {
                world.note(.clockJump)
                world.clock.jump(by: jump.by)
            }
        }
    }

    /// The coordinator dies, and a new one starts.
    private func restart() {
        let world = world
        coordinators[0].process.die()
        for node in local {
            node.crash(hasPower: false)
            node.start()
        }
        let next = SimulatedCoordinator(nodes: local + nodes, world: world)
        coordinators[0].process = next
        world.after(.seconds(world.random.magnitude(0.01...5))) { if !next.isDead { next.start() } }
    }

    /// Injects a fault into a node after a random time, repeatedly, until faults are off.
    private func trouble(_ node: SimulatedNode) {
        guard let interval = world.scenario.faultInterval else { return }
        let wait = Duration.seconds(interval * 2 * Double.random(in: 0...1, using: &world.random))
        let (world, calm) = (world, world.scenario.calm)
        world.after(wait) {
            guard !world.isCalm else { return }
            // All faults must have ended when faults are off.
            let end = min(world.clock.now.advanced(by: .seconds(world.random.magnitude(0.05...30))), calm)
            switch Int.random(in: 0..<6, using: &world.random) {
            case 0, 1:
                node.crash(hasPower: world.random.chance(0.5))
                world.at(end) { node.start() }
            case 2: node.freeze(until: end)
            case 3:
                world.note(.cut, node.index)
                node.cutUntil = end
            case 4: node.drain()
            default: node.slow(by: world.random.magnitude(2...20), until: end)
            }
            trouble(node)
        }
    }

    // MARK: Jobs

    /// The state of a job that survives its process.
    private final class Journal: @unchecked Sendable {
        // Sendable: touched only on the simulation's thread.
        var responses: [Int: TaskResponse<SimulatedTask>] = [:]
        var isBroken = false
    }

    /// Runs a job, and runs the rest of it again if its process was killed or its journal failed.
    private func run(job: Int) async {
        let world = world
        let tasks = world.scenario.makeTasks(job: job)
        let (journal, coordinator) = (Journal(), coordinators[job % coordinators.count])
        while world.violation == nil {
            let rest = tasks.filter { journal.responses[$0.id] == nil }
            let process = coordinator.process
            journal.isBroken = false
            let error = await process.run(job: job, rest) { response in
                await take(response, into: journal, process)
            }
            if process.isDead || journal.isBroken { continue }
            if let error {
                if !(world.scenario.mayStarve && error.code == .noSystem) { world.fail("job \(job) ended: \(error)") }
                return
            }
            return check(tasks, journal)
        }
    }

    /// - Returns: false if the job must stop.
    private func take(
        _ response: TaskResponse<SimulatedTask>, into journal: Journal, _ process: SimulatedCoordinator
    ) async -> Bool {
        if let longest = world.scenario.consumption {
            let pause = longest * Double.random(in: 0...1, using: &world.random)
            await world.sleep(until: world.clock.now.advanced(by: .seconds(pause)))
        }
        if process.isDead { return false }
        if !world.isCalm, world.random.chance(world.scenario.journalFaults) {
            world.note(.journalError)
            journal.isBroken = true
            return false
        }
        if journal.responses.updateValue(response, forKey: response.id) != nil {
            world.fail("task \(response.id) has two responses")
        }
        return true
    }

    private func check(_ tasks: [SimulatedTask], _ journal: Journal) {
        for task in tasks {
            switch journal.responses[task.id]?.result {
            case nil: world.fail("task \(task.id) was lost")
            case .success(let output):
                if output != task.output || task.isPoisoned { world.fail("task \(task.id) has a wrong output") }
            case .failure: break
            }
        }
        if journal.responses.count != tasks.count { world.fail("there are responses to unknown tasks") }
    }

    /// Nothing may be left of the jobs: at the coordinator at once, on the nodes when the last messages have arrived.
    private func checkEnd() async {
        for process in coordinators.map(\.process) {
            let inFlight = process.systems.state.members.reduce(0) { $0 + $1.inFlight }
            if inFlight != 0 || process.waiting != 0 {
                world.fail("\(inFlight), \(process.waiting) attempts outlive their job")
            }
        }
        await world.sleep(until: max(world.clock.now, world.scenario.calm).advanced(by: .seconds(15)))
        // If a cancellation is lost, a task stays until the connection ends.
        if !world.scenario.network.isStream {
            for coordinator in coordinators { coordinator.process.close() }
            await world.sleep(until: world.clock.now.advanced(by: .seconds(15)))
        }
        for node in local + nodes where node.inFlight != 0 {
            world.fail("\(node.name) runs \(node.inFlight) tasks that no coordinator waits for")
        }
    }
}
