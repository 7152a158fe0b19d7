/// Models the duration of a scan as a function of the number of nodes, from the time that its tasks take on a slot, on
/// the link and on the coordinator. Pure. Docs/Scaling.md has the formulas and their validation.
///
/// Steps run one after another. Within a step the slots compute in parallel; the coordinator reads and sends one task
/// at a time, the link carries one task at a time, and all of this overlaps. The serial work of the coordinator is
/// added (Amdahl).
package struct ScalingModel: Codable, Equatable, Sendable {
    /// A step of the scan. The next one begins when all its tasks are done.
    package struct Step: Codable, Equatable, Sendable {
        package var tasks: Int
        /// Time of a task on a slot while no other slot scans.
        package var taskSeconds: Double
        /// Bytes sent to a node with a task.
        package var taskBytes: Double
        /// Whether nodes keep these bytes from the previous step, so that they are sent only if another system runs the
        /// task.
        package var isKept = false

        package init(tasks: Int, taskSeconds: Double, taskBytes: Double, isKept: Bool = false) {
            self.tasks = tasks
            self.taskSeconds = taskSeconds
            self.taskBytes = taskBytes
            self.isKept = isKept
        }
    }

    package var steps: [Step]
    /// Bytes per second that the coordinator sends to all nodes together.
    package var linkBytesPerSecond: Double
    /// Round trip of a null task.
    package var roundTripSeconds: Double
    /// CPU time of the coordinator for the pixels of all bands, if nodes scan all of them.
    package var coordinatorSeconds: Double
    /// Time in which no task runs.
    package var serialSeconds: Double
    /// Number of slots of this machine.
    package var localSlots: Double
    /// Number of slots of each node.
    package var slotsPerNode: Double
    /// Speed of a node's slots relative to the slot of ``Step/taskSeconds``.
    package var slotSpeed: Double
    /// Time of a task while all slots scan, relative to the time with one slot alone.
    package var slowdown: Double

    /// The bottleneck of a scan.
    package enum Bound: String, Codable, CaseIterable, Sendable {
        /// All slots compute.
        case compute
        case link
        case coordinator
        /// The number of tasks: there is a slot for every task.
        case tasks
    }

    /// Estimated scan with a given number of nodes.
    package struct Forecast: Encodable, Equatable, Sendable {
        var nodes: Int
        /// Duration of the scan in seconds.
        var seconds: Double
        /// Speed relative to one slot of this machine.
        package var speedUp: Double
        package var bound: Bound
    }

    /// Returns the forecast for this number of nodes.
    package func forecast(nodes: Int) -> Forecast {
        let (seconds, bound) = time(nodes: nodes)
        let alone = steps.reduce(serialSeconds) { $0 + Double($1.tasks) * $1.taskSeconds }
        return Forecast(nodes: nodes, seconds: seconds, speedUp: alone / seconds, bound: bound)
    }

    /// Smallest number of nodes whose duration is within 5 % of the shortest possible one.
    package var enoughNodes: Int {
        let times = (0...mostNodes).map { time(nodes: $0).seconds }
        let best = times.min() ?? 0
        return times.firstIndex { $0 <= best * 1.05 } ?? mostNodes
    }

    /// The bottleneck with more nodes than ``enoughNodes``.
    package var limit: Bound { time(nodes: mostNodes).bound }

    /// Forecasts for 1, 2, 4, … nodes and ``enoughNodes``.
    package var forecasts: [Forecast] {
        let enough = max(1, enoughNodes)
        let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < enough }
        return (Array(powers) + [enough]).map(forecast)
    }

    /// Returns a model of the same scan over another link.
    package func over(_ link: LinkRate) -> ScalingModel {
        var other = self
        other.linkBytesPerSecond = link.bytesPerSecond
        return other
    }

    /// Model of the same scan by nodes that read the image themselves.
    package var sendingNothing: ScalingModel {
        var other = self
        for index in other.steps.indices { other.steps[index].taskBytes = 0 }
        return other
    }

    /// Smallest number of nodes that have a slot for every task.
    private var mostNodes: Int { Int((Double(steps.map(\.tasks).max() ?? 0) / slotsPerNode).rounded(.up)) }

    private func time(nodes: Int) -> (seconds: Double, bound: Bound) {
        var seconds: [Bound: Double] = [.coordinator: serialSeconds]
        var farmed = 0.0
        var held = 0.0
        for step in steps where step.tasks > 0 {
            let outcome = outcome(of: step, nodes: nodes, held: step.isKept ? held : 0)
            seconds[outcome.bound, default: 0] += outcome.seconds
            farmed += outcome.seconds
            held = outcome.remoteTasks
        }
        // In a fixed order, so that the result is stable among equal times.
        let bound = Bound.allCases.max { seconds[$0, default: 0] < seconds[$1, default: 0] } ?? .compute
        return (serialSeconds + farmed, bound)
    }

    /// Returns the CPU time of the coordinator for a task that a node runs. It is proportional to the bytes of the
    /// task; if no bytes are sent, as with `--data`, it applies to each task whose pixels are read for the first time.
    private func coordinatorSeconds(of step: Step) -> Double {
        let sent = steps.filter { !$0.isKept }
        let bytes = sent.reduce(0) { $0 + Double($1.tasks) * $1.taskBytes }
        if bytes > 0 { return coordinatorSeconds * step.taskBytes / bytes }
        return step.isKept ? 0 : coordinatorSeconds / Double(max(1, sent.reduce(0) { $0 + $1.tasks }))
    }

    /// Returns the duration of a step. Nodes already hold the bytes of its first `held` tasks.
    private func outcome(
        of step: Step, nodes: Int, held: Double
    ) -> (seconds: Double, bound: Bound, remoteTasks: Double) {
        // At least a nanosecond, since times are divided by it.
        let local = max(step.taskSeconds * slowdown, 1e-9)
        let remote = local / slotSpeed
        let (link, work) = (step.taskBytes / linkBytesPerSecond, coordinatorSeconds(of: step))
        let transfer = max(link, work)
        // Transfer time of a task and its result. The node queues another task per slot, so that transfers matter
        // only if they take longer than a task.
        let way = roundTripSeconds + (step.isKept ? 0 : transfer)
        let cycle = max(remote, (remote + way) / 2)
        let remoteSlots = Double(nodes) * slotsPerNode
        guard localSlots + remoteSlots > 0 else { return (.infinity, .compute, 0) }
        // Number of tasks done within a time by the nodes' slots, by transfers of the coordinator, and by the local
        // slots.
        func computed(_ time: Double) -> Double { max(0, remoteSlots * ((time - way) / cycle).rounded(.down)) }
        func carried(_ time: Double) -> Double {
            if transfer == 0 { return .infinity }
            return held + max(0, ((time - roundTripSeconds - remote) / transfer).rounded(.down))
        }
        func here(_ time: Double) -> Double { localSlots * (time / local).rounded(.down) }
        let tasks = Double(step.tasks)
        let unlimited = Self.least { here($0) + computed($0) >= tasks }
        let seconds = Self.least { here($0) + min(computed($0), carried($0)) >= tasks }
        let remoteTasks = min(computed(seconds), carried(seconds), tasks)
        if seconds > unlimited { return (seconds, link < work ? .coordinator : .link, remoteTasks) }
        return (seconds, localSlots + remoteSlots < tasks ? .compute : .tasks, remoteTasks)
    }

    /// Returns the smallest time for which `isEnough`, a monotonic predicate, holds.
    private static func least(_ isEnough: (Double) -> Bool) -> Double {
        var (low, high) = (0.0, 1e-9)
        while !isEnough(high), high.isFinite { (low, high) = (high, high * 2) }
        // Bisects to the precision of Double.
        for _ in 0..<53 {
            let middle = (low + high) / 2
            if isEnough(middle) { high = middle } else { low = middle }
        }
        return high
    }
}
