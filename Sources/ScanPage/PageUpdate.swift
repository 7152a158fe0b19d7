import ScanBasics
import ScanCluster
import ScanDashboard
import ScanNetwork

/// The state of a farm or a node for its page, as JSON; `v` is the version of the format.
struct PageUpdate: Encodable {
    var v = 1
    /// Present only in a snapshot.
    var process: Process?
    /// Seconds since the page was opened.
    var time: Double
    var state: State
    var log: Log
    var end: End?

    struct Process: Encodable {
        var name: String
        /// "farm" or "node".
        var role: String
        /// Address at which a node serves.
        var address: String?
        var software: String
        /// Time of the beginning, in ISO 8601.
        var began: String
    }

    /// What is sent again if it differs from what was sent last.
    struct State: Encodable, Equatable {
        var now: String
        /// What is counted: "task", or "item" if the tasks have items.
        var unit: String
        /// Number of items that are known; nil for tasks.
        var planned: Int?
        var systems: [System]
        var types: [Kind]
        var coordinators: [Coordinator]
        var running: Int
        var waiting: Int
        var done: Int
        var failed: Int
        var recorded: Int
        /// Outputs per second.
        var rate: Double
        var failures: [TaskPicture.Failure]
        var progress: [TaskPicture.Progress]
    }

    struct System: Encodable, Equatable {
        var name: String
        var isLocal: Bool
        var slots: Int
        var running: Int
        /// Items that it has, and that do not run yet; nil for tasks.
        var scheduled: Int?
        var done: Int
        var state: String
    }

    struct Kind: Encodable, Equatable {
        var name: String
        var running: Int
        var done: Int
        var failed: Int
        var retried: Int
        var recorded: Int
        /// Mean seconds of a scan with an output, or nil before the first one.
        var seconds: Double?
    }

    struct Coordinator: Encodable, Equatable {
        var name: String
        var address: String
        var inFlight: Int
        var done: Int
    }

    struct Log: Encodable {
        var from: Int
        var items: [TaskPicture.Line]
    }

    struct End: Encodable { var ending = "ended" }
}

/// The systems and coordinators of a farm or a node at one moment.
struct NodeFacts {
    var systems: [PageUpdate.System]
    var coordinators: [PageUpdate.Coordinator] = []
    /// Load of a node that serves.
    var status: NodeServer.Status?

    /// The systems of a farm.
    init(farm systems: [SystemSnapshot]) {
        self.systems = systems.map { system in
            PageUpdate.System(
                name: system.name.printable, isLocal: system.isLocal, slots: system.slots, running: system.inFlight,
                done: system.done, state: system.setAsideUntil == nil ? "takes tasks" : "set aside after a failure")
        }
    }

    /// A node that serves, with the coordinators that it was last known to have.
    init(node server: NodeServer, _ coordinators: [NodeServer.Coordinator]) {
        let status = server.status
        systems = [
            PageUpdate.System(
                name: server.name.printable, isLocal: true, slots: server.slots, running: status.running,
                done: status.done, state: status.connections == 0 ? "waits for a coordinator" : "takes tasks")
        ]
        self.status = status
        self.coordinators = coordinators.map {
            PageUpdate.Coordinator(
                name: $0.name.printable, address: $0.address.printable, inFlight: $0.inFlight, done: $0.done)
        }
    }
}

extension NodeFacts {
    /// The same, with items in place of the tasks that have them.
    func counting(_ picture: TaskPicture) -> NodeFacts {
        if picture.planned.isEmpty { return self }
        var facts = self
        let loads = picture.itemLoads(on: slots)
        for (index, system) in systems.enumerated() {
            let own = loads.filter { $0.system == system.name }
            facts.systems[index].running = own.reduce(0) { $0 + $1.running }
            facts.systems[index].scheduled = own.reduce(0) { $0 + $1.scheduled }
            facts.systems[index].done = picture.itemsDone[system.name] ?? 0
        }
        return facts
    }

    var slots: [String: Int] { Dictionary(systems.map { ($0.name, $0.slots) }, uniquingKeysWith: max) }
}

extension PageUpdate.State {
    init(_ picture: TaskPicture, _ facts: NodeFacts, at time: Double, hasEnded: Bool) {
        let byType = picture.running(on: facts.slots)
        let hasItems = !picture.planned.isEmpty
        (unit, planned) = hasItems ? ("item", picture.planned.values.reduce(0, +)) : ("task", nil)
        systems = facts.systems
        coordinators = facts.coordinators
        types = picture.types.sorted { $0.key < $1.key }.map { name, counts in
            PageUpdate.Kind(
                name: name.printable, running: byType[name] ?? 0, done: counts.done, failed: counts.failed,
                retried: counts.retried, recorded: counts.recorded,
                seconds: counts.done == 0 ? nil : counts.seconds / Double(counts.done))
        }
        running = facts.status?.running ?? byType.values.reduce(0, +)
        waiting = hasItems ? picture.waiting(running: running) : facts.status?.queued ?? 0
        done = picture.total(\.done)
        failed = picture.total(\.failed)
        recorded = picture.total(\.recorded)
        rate = hasEnded ? 0 : (picture.rate(at: time) * 10).rounded() / 10
        failures = picture.failures
        progress = picture.progress
        now =
            hasEnded
            ? "ended"
            : running > 0
                ? "running \(running) \(unit)\(running == 1 ? "" : "s")"
                : facts.systems.isEmpty
                    ? "waiting for a system" : facts.status == nil ? "no \(unit) runs" : "waiting for a task"
    }
}

extension PrometheusText {
    /// Adds the metrics of a farm or a node.
    mutating func add(_ picture: TaskPicture, _ facts: NodeFacts) {
        let types = picture.types.sorted { $0.key < $1.key }
        let running = picture.running(on: facts.slots)
        func perType(_ value: (TaskPicture.Counts) -> Double) -> [Sample] {
            types.map { Sample([("type", $0.key)], value($0.value)) }
        }
        if let status = facts.status {
            add("skyfarm_node_coordinators", .gauge, "Coordinators that are connected.", Double(status.connections))
            add("skyfarm_node_tasks_queued", .gauge, "Tasks that wait for a slot.", Double(status.queued))
        } else {
            add(
                "skyfarm_tasks_running", .gauge, "Attempts that run.",
                types.map { Sample([("type", $0.key)], Double(running[$0.key] ?? 0)) })
        }
        if !picture.planned.isEmpty {
            let count = running.values.reduce(0, +)
            add("skyfarm_items_waiting", .gauge, "Items that have not begun.", Double(picture.waiting(running: count)))
        }
        add("skyfarm_tasks_done_total", .counter, "Tasks with an output.", perType { Double($0.done) })
        add("skyfarm_tasks_failed_total", .counter, "Tasks that failed.", perType { Double($0.failed) })
        add("skyfarm_tasks_retried_total", .counter, "Attempts that were tried again.", perType { Double($0.retried) })
        add("skyfarm_tasks_recorded_total", .counter, "Responses from a journal.", perType { Double($0.recorded) })
        add("skyfarm_task_seconds_total", .counter, "Seconds of scans with an output.", perType(\.seconds))
        func perSystem(_ value: (PageUpdate.System) -> Int) -> [Sample] {
            facts.systems.map { Sample([("system", $0.name)], Double(value($0))) }
        }
        add("skyfarm_system_slots", .gauge, "Tasks that run on the system at the same time.", perSystem(\.slots))
        add("skyfarm_system_tasks_running", .gauge, "Tasks that run on the system.", perSystem(\.running))
        add("skyfarm_system_tasks_total", .counter, "Tasks done by the system.", perSystem(\.done))
    }
}
