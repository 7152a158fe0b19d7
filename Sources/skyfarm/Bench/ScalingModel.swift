/// How the time of a job depends on the number of nodes: from what its tasks take of a slot, of the link and of the
/// coordinator. Pure; Docs/Scaling.md has the formulas, and what they were checked against.
///
/// The steps of a job follow one another. In a step slots compute side by side, the link carries one task after the
/// other, and both overlap. What the coordinator does meanwhile costs nothing unless it takes longer than all steps; work
/// that no task shares comes on top (Amdahl).
struct ScalingModel: Codable, Equatable, Sendable {
    /// A step of the job. The next one begins when all its tasks are done.
    struct Step: Codable, Equatable, Sendable {
        var tasks: Int
        /// Time that a task takes of a slot while no other slot scans.
        var taskSeconds: Double
        /// Bytes that travel to a node with a task.
        var taskBytes: Double
        /// Nodes keep these bytes from the step before: only a task that goes to another system than then needs them.
        var isKept = false
    }

    var steps: [Step]
    /// Bytes per second that the coordinator sends to all nodes together.
    var linkBytesPerSecond: Double
    /// Time from a task that does nothing to its answer.
    var roundTripSeconds: Double
    /// Time that the coordinator works for the job while tasks run.
    var coordinatorSeconds: Double
    /// Time of the job in which no task runs.
    var serialSeconds: Double
    /// Slots of this machine.
    var localSlots: Double
    /// Slots of a node.
    var slotsPerNode: Double
    /// Speed of a node's slots, counted in that of the slot that ``Step/taskSeconds`` was measured at.
    var slotSpeed: Double
    /// Times as long as alone a task takes of a slot while all slots scan.
    var slowdown: Double

    /// What keeps a job from being faster.
    enum Bound: String, Codable, CaseIterable, Sendable {
        /// All slots compute.
        case compute
        case link
        case coordinator
        /// There is a slot for every task.
        case tasks
    }

    /// A number of nodes, and what they would do.
    struct Forecast: Encodable, Equatable, Sendable {
        var nodes: Int
        /// Time of the job.
        var seconds: Double
        /// Times as fast as one slot of this machine.
        var speedUp: Double
        var bound: Bound
    }

    /// What so many nodes would do.
    func forecast(nodes: Int) -> Forecast {
        let (seconds, bound) = time(nodes: nodes)
        let alone = steps.reduce(serialSeconds) { $0 + Double($1.tasks) * $1.taskSeconds }
        return Forecast(nodes: nodes, seconds: seconds, speedUp: alone / seconds, bound: bound)
    }

    /// Fewest nodes that are within a twentieth of the best that any number of nodes can do.
    var enoughNodes: Int {
        let times = (0...mostNodes).map { time(nodes: $0).seconds }
        let best = times.min() ?? 0
        return times.firstIndex { $0 <= best * 1.05 } ?? mostNodes
    }

    /// What keeps more nodes than those from helping.
    var limit: Bound { time(nodes: mostNodes).bound }

    /// Forecasts for 1, 2, 4, … nodes up to those that are enough, and those.
    var forecasts: [Forecast] {
        let enough = max(1, enoughNodes)
        let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < enough }
        return (Array(powers) + [enough]).map(forecast)
    }

    /// The same job over another link.
    func over(_ link: LinkRate) -> ScalingModel {
        var other = self
        other.linkBytesPerSecond = link.bytesPerSecond
        return other
    }

    /// Nodes that have a slot for every task.
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
        if coordinatorSeconds > farmed { return (serialSeconds + coordinatorSeconds, .coordinator) }
        // In a fixed order, so that equals do not change places.
        let bound = Bound.allCases.max { seconds[$0, default: 0] < seconds[$1, default: 0] } ?? .compute
        return (serialSeconds + farmed, bound)
    }

    /// What becomes of a step whose first `held` tasks find their bytes at a node.
    private func outcome(
        of step: Step, nodes: Int, held: Double
    ) -> (seconds: Double, bound: Bound, remoteTasks: Double) {
        // A clock's tick for tasks too quick for it.
        let local = max(step.taskSeconds * slowdown, 1e-9)
        let remote = local / slotSpeed
        let transfer = step.taskBytes / linkBytesPerSecond
        // A task and its answer are on the way so long. Another task waits at the node for each slot, so that only a way
        // longer than a task is felt.
        let way = roundTripSeconds + (step.isKept ? 0 : transfer)
        let cycle = max(remote, (remote + way) / 2)
        let remoteSlots = Double(nodes) * slotsPerNode
        guard localSlots + remoteSlots > 0 else { return (.infinity, .compute, 0) }
        // Tasks done by a time: by the nodes' slots, as far as the link goes, and here, where nothing travels.
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
        if seconds > unlimited { return (seconds, .link, remoteTasks) }
        return (seconds, localSlots + remoteSlots < tasks ? .compute : .tasks, remoteTasks)
    }

    /// The least time of which `isEnough` is true: it is so of all longer ones, and of a long one.
    private static func least(_ isEnough: (Double) -> Bool) -> Double {
        var (low, high) = (0.0, 1e-9)
        while !isEnough(high), high.isFinite { (low, high) = (high, high * 2) }
        // Down to neighbouring numbers.
        for _ in 0..<53 {
            let middle = (low + high) / 2
            if isEnough(middle) { high = middle } else { low = middle }
        }
        return high
    }
}
