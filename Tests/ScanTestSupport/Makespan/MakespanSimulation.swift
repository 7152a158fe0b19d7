internal import ScanBasics
import ScanCluster

/// Runs the real deciders, ``Systems/State`` and ``ScanCoordinator/RunState``, over slots and links that take exactly
/// as long as a scenario says. Nothing else happens between two events.
package struct MakespanSimulation {
    private enum Event {
        case join(Int)
        case leave(Int)
        /// The bytes of an attempt arrived.
        case arrive(Attempt)
        /// A slot has done an attempt.
        case done(Attempt)
        /// The response is at the coordinator.
        case response(Attempt)
        /// A link's progress is reported, and again after a longer time.
        case report(link: Int, after: Double)
        case wakeUp
    }

    private final class Attempt {
        let task: Int
        let id: ScanSystem.AttemptID
        let reservation: Systems.State.Reservation
        /// Nil for the local system.
        let node: Int?
        let serial: Int
        var isOver = false

        init(
            task: Int, id: ScanSystem.AttemptID, reservation: Systems.State.Reservation, node: Int?, serial: Int
        ) {
            (self.task, self.id, self.reservation, self.node, self.serial) = (task, id, reservation, node, serial)
        }
    }

    private let scenario: MakespanScenario
    private var now = 0.0
    private var queue: [(at: Double, order: Int, event: Event)] = []
    private var order = 0
    private var systems = Systems.State()
    private var links: FluidLinks
    private var running: [[Attempt]]
    private var waiting: [[Attempt]]
    private var isPresent: [Bool]
    private var attempts: [Int: [Attempt]] = [:]
    private var transfers: [Int: Attempt] = [:]
    private var serial = 0
    private var held: [Set<Int>]
    private var state = ScanCoordinator.RunState(options: .init(maxSystemFaults: 1000))
    private var entries: [Int: Int] = [:]
    private var next = 0
    private var wakeUp = Double.infinity
    private var trace: ((String) -> Void)?
    /// Attempts that were recalled, and second ones.
    package private(set) var recalls = 0, hedges = 0
    /// The first violated invariant.
    package private(set) var violation: String?

    private let run = RunID(rawValue: 1)
    private var local: Int { scenario.nodes.count }

    package init(_ scenario: MakespanScenario, trace: ((String) -> Void)? = nil) {
        self.scenario = scenario
        self.trace = trace
        links = FluidLinks(own: scenario.nodes.map(\.bytesPerSecond), shared: scenario.sharedBytesPerSecond)
        running = Array(repeating: [], count: scenario.nodes.count + 1)
        waiting = running
        held = Array(repeating: [], count: scenario.nodes.count)
        isPresent = Array(repeating: false, count: scenario.nodes.count)
        systems.assumedRate = scenario.assumedRate
        if scenario.localSlots > 0 {
            _ = systems.join(
                id: Self.identity(scenario.nodes.count), name: "local", slots: scenario.localSlots,
                depth: scenario.localSlots, isLocal: true, speed: 1)
        }
        for (index, node) in scenario.nodes.enumerated() {
            add(.join(index), at: node.joins)
            if let end = node.leaves, end > node.joins { add(.leave(index), at: end) }
        }
    }

    private static func identity(_ index: Int) -> SystemID { SystemID(high: 0, low: UInt64(index)) }

    /// Runs all passes.
    /// - Returns: the seconds until the last task was done.
    package mutating func makespan() -> Double {
        for pass in 0..<scenario.passes {
            (state, next, entries) = (ScanCoordinator.RunState(options: .init(maxSystemFaults: 1000)), 0, [:])
            _ = state.systemsChanged(to: systems.members)
            trace?("pass \(pass) begins at \(now)")
            advance()
            while !state.isDone, violation == nil { step() }
        }
        return now
    }

    private var instant: Instant { Instant(nanoseconds: Int64(now * 1e9)) }

    private mutating func add(_ event: Event, at time: Double) {
        order += 1
        let entry = (at: time, order: order, event: event)
        // The latest event comes first.
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = (low + high) / 2
            if (queue[middle].at, queue[middle].order) > (entry.at, entry.order) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        queue.insert(entry, at: low)
    }

    private mutating func step() {
        let transfer = links.next
        if let transfer, transfer.at <= queue.last?.at ?? .infinity {
            now = max(now, transfer.at)
            let task = links.complete(transfer.link, at: now)
            if let attempt = transfers.removeValue(forKey: task) {
                report(transfer.link, attempt, left: 0)
                add(.arrive(attempt), at: now + scenario.nodes[transfer.link].latency / 2)
            }
        } else if let event = queue.popLast() {
            now = max(now, event.at)
            links.advance(to: now)
            handle(event.event)
        } else {
            violation = "nothing happens, and tasks are open"
            return
        }
        advance()
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .join(let index):
            let node = scenario.nodes[index]
            isPresent[index] = true
            _ = systems.join(
                id: Self.identity(index), name: "n\(index)", slots: node.slots, depth: 4 * node.slots + 16,
                isLocal: false,
                speed: node.statedSpeed)
            _ = systems.note(.init(roundTrip: node.latency), of: Self.identity(index), at: instant)
            _ = state.systemsChanged(to: systems.members)
        case .leave(let index): leave(index)
        case .arrive(let attempt):
            guard !attempt.isOver, let node = attempt.node else { return }
            held[node].insert(attempt.task)
            enter(attempt, on: node)
        case .done(let attempt):
            let place = attempt.node ?? local
            running[place].removeAll { $0 === attempt }
            if let node = attempt.node {
                add(.response(attempt), at: now + scenario.nodes[node].latency / 2)
            } else {
                end(attempt)
            }
            fill(place)
        case .response(let attempt): end(attempt)
        case .report(let link, let after): progress(link, after: after)
        case .wakeUp: wakeUp = .infinity
        }
    }

    private mutating func leave(_ index: Int) {
        isPresent[index] = false
        links.clear(index, at: now)
        _ = systems.leave(Self.identity(index), lost: instant)
        (running[index], waiting[index]) = ([], [])
        let lost = attempts.values.joined().filter { $0.node == index && !$0.isOver }.sorted { $0.serial < $1.serial }
        for attempt in lost {
            attempt.isOver = true
            transfers[attempt.serial] = nil
            attempts[attempt.task]?.removeAll { $0 === attempt }
            let id = Self.identity(index)
            _ = try? state.ended(
                attempt.id, on: (id, "n\(index)", 1), as: .fault, at: instant)
        }
        _ = state.systemsChanged(to: systems.members)
    }

    private mutating func enter(_ attempt: Attempt, on place: Int) {
        waiting[place].append(attempt)
        fill(place)
    }

    private mutating func fill(_ place: Int) {
        let slots = place == local ? scenario.localSlots : scenario.nodes[place].slots
        let speed = place == local ? 1 : scenario.nodes[place].speed
        while running[place].count < slots, !waiting[place].isEmpty {
            let attempt = waiting[place].removeFirst()
            running[place].append(attempt)
            // One without speed never answers.
            if speed > 0 { add(.done(attempt), at: now + scenario.tasks[attempt.task].seconds / speed) }
        }
    }

    private mutating func end(_ attempt: Attempt) {
        let speed = attempt.node.map { scenario.nodes[$0].speed } ?? 1
        guard !attempt.isOver else { return }
        attempt.isOver = true
        attempts[attempt.task]?.removeAll { $0 === attempt }
        let seconds = scenario.tasks[attempt.task].seconds / speed
        _ = systems.release(attempt.reservation, as: .finished(seconds: seconds), at: instant)
        let name = attempt.node.map { "n\($0)" } ?? "local"
        let end = try? state.ended(
            attempt.id, on: (attempt.reservation.system, name, 1), as: .finished(seconds: seconds), at: instant)
        trace?("\(now) task \(attempt.task) done on \(name)")
        if case .committed(let others, _) = end?.verdict {
            for other in attempts[attempt.task] ?? [] where others.contains(other.id) { cancel(other) }
            attempts[attempt.task] = []
        }
    }

    private mutating func cancel(_ attempt: Attempt) {
        guard !attempt.isOver else { return }
        attempt.isOver = true
        _ = systems.release(attempt.reservation, as: .void, at: instant)
        let place = attempt.node ?? local
        waiting[place].removeAll { $0 === attempt }
        guard let node = attempt.node else { return }
        _ = links.remove(attempt.serial, from: node, at: now)
        transfers[attempt.serial] = nil
        // A running scan is cancelled soon after.
        if running[node].contains(where: { $0 === attempt }) {
            running[node].removeAll { $0 === attempt }
            queue.removeAll { if case .done(let other) = $0.event { other === attempt } else { false } }
            fill(node)
        }
    }

    // MARK: Links

    private mutating func report(_ link: Int, _ attempt: Attempt, left: Int) {
        let time = now - (links.queues[link].first?.begins ?? now)
        let rate = left > 0 && time > 0.02 ? links.rates[link] : nil
        _ = systems.note(
            .init(transfer: (attempt.reservation.ticket, left), rate: rate), of: Self.identity(link), at: instant)
    }

    private mutating func progress(_ link: Int, after: Double) {
        guard isPresent[link], let front = links.queues[link].first, let attempt = transfers[front.task] else { return }
        _ = systems.note(
            .init(transfer: (attempt.reservation.ticket, Int(front.left)), rate: links.rates[link]),
            of: Self.identity(link), at: instant)
        // A transport reports each part of 256 KiB: 0.21 s at 10 Mbit/s.
        add(.report(link: link, after: min(0.21, after * 1.5)), at: now + after)
    }

    // MARK: The run

    /// As ``ScanCoordinator/Run`` does.
    private mutating func advance() {
        repeat {
            repeat {
                while state.wantsTask {
                    guard next < scenario.tasks.count else {
                        state.exhausted()
                        break
                    }
                    let task = scenario.tasks[next]
                    let entry = state.pulled(
                        TaskRequest(cost: task.seconds, key: BulkKey(job: 1, index: UInt64(next)), bytes: task.bytes))
                    entries[entry] = next
                    next += 1
                }
            } while start()
        } while hedge() || rescue()
        if let contradiction = state.contradiction ?? systems.contradiction { violation = contradiction }
        let isOpen = state.isExhausted ? state.ledger.inFlight > 0 : state.ledger.pending.first != nil
        if isOpen, systems.hasIdleSlot(excluding: [], at: instant) { state.idles(at: instant) } else { state.isBusy() }
        if let due = state.wakeUp {
            let time = max(now + 1e-6, due.since(Instant(nanoseconds: 0)) / .seconds(1))
            if time < wakeUp {
                wakeUp = time
                add(.wakeUp, at: time)
            }
        }
    }

    private mutating func start() -> Bool {
        guard
            let pick = systems.pick(
                from: state.ledger.pending, excluding: state.excluded, run: run, at: instant)
        else { return false }
        let id = state.started(atOffset: pick.offset, on: pick.reservation.system, at: instant)
        launch(id, pick.reservation)
        return true
    }

    private mutating func launch(_ id: ScanSystem.AttemptID, _ reservation: Systems.State.Reservation) {
        let index = (0...local).first { Self.identity($0) == reservation.system } ?? local
        let node = index == local ? nil : index
        serial += 1
        guard let task = entries[id.entry] else { preconditionFailure("the entry has a task") }
        let attempt = Attempt(task: task, id: id, reservation: reservation, node: node, serial: serial)
        attempts[task, default: []].append(attempt)
        trace?("\(now) task \(task) starts on \(node.map { "n\($0)" } ?? "local")")
        guard let node else { return enter(attempt, on: local) }
        if held[node].contains(task) {
            _ = systems.note(.init(transfer: (reservation.ticket, 0)), of: reservation.system, at: instant)
            add(.arrive(attempt), at: now + scenario.nodes[node].latency / 2)
            return
        }
        let wasIdle = links.queues[node].isEmpty
        transfers[serial] = attempt
        links.add(serial, bytes: scenario.tasks[task].bytes, to: node, at: now)
        if wasIdle { add(.report(link: node, after: 0.04), at: now + 0.04) }
    }

    private mutating func hedge() -> Bool {
        var hasHedged = false
        let found = state.overdue(
            hasIdleSlot: { [systems, instant] in systems.hasIdleSlot(excluding: $0, at: instant) }, at: instant)
        for overdue in found {
            guard let (request, _, useless) = state.ledger.request(besides: overdue),
                let slow = entries[overdue.entry].flatMap({ attempts[$0]?.last }),
                !systems.isReceiving(slow.reservation, at: instant)
            else { continue }
            var only = ScanCoordinator.RunState.Ledger.Pending()
            only.append(PendingTask(entry: overdue.entry, request: request))
            guard
                let pick = systems.pick(
                    from: only, excluding: state.excluded.union(useless), run: run, prefetching: false, at: instant),
                let (attempt, _) = state.hedged(overdue, on: pick.reservation.system, "", at: instant)
            else { continue }
            hedges += 1
            trace?("\(now) hedge")
            launch(attempt, pick.reservation)
            hasHedged = true
        }
        return hasHedged
    }

    private mutating func rescue() -> Bool {
        guard state.mayRescue(isHeldUp: false, at: instant), systems.hasIdleSlot(excluding: [], at: instant) else {
            return false
        }
        var ids: [ScanSystem.AttemptID] = []
        var list: [Systems.State.Running] = []
        for (id, request, earlier) in state.ledger.single.prefix(Systems.State.mostCompared) {
            guard let task = entries[id.entry], let attempt = attempts[task]?.first else { continue }
            ids.append(id)
            list.append(.init(request: request, reservation: attempt.reservation, earlier: earlier))
        }
        guard let rescue = systems.rescue(among: list, excluding: state.excluded, run: run, at: instant)
        else { return false }
        let slow = ids[rescue.offset]
        let step =
            rescue.recalls
            ? state.recalled(slow, to: rescue.reservation.system, "", at: instant)
            : state.hedged(slow, on: rescue.reservation.system, "", at: instant)
        guard let (id, _) = step else { preconditionFailure("the ledger knows the attempts in flight") }
        trace?("\(now) \(rescue.recalls ? "recall" : "second attempt") of \(entries[slow.entry] ?? -1)")
        if rescue.recalls {
            recalls += 1
            if let task = entries[slow.entry] {
                for old in attempts[task] ?? [] { cancel(old) }
                attempts[task] = []
            }
        } else {
            hedges += 1
        }
        launch(id, rescue.reservation)
        return true
    }
}
