/// How the time of a job depends on the number of nodes: from what one of its tasks takes of a slot, of the link and of
/// the coordinator. Pure.
///
/// Slots compute side by side; the link carries and the coordinator handles one task after the other; and all three
/// overlap, so that the slowest of them counts. Work that no task shares comes on top (Amdahl).
struct ScalingModel: Encodable, Equatable, Sendable {
    /// Tasks that can run side by side.
    var tasks: Int
    /// Time that a task takes of a slot.
    var taskSeconds: Double
    /// Bytes that travel to a node with a task.
    var taskBytes: Double
    /// Bytes per second that the coordinator sends to all nodes together.
    var linkBytesPerSecond: Double
    /// Time from a task that does nothing to its answer.
    var roundTripSeconds: Double
    /// Time that the coordinator works for a task while others run.
    var coordinatorSeconds: Double
    /// Time of the job in which no task runs.
    var serialSeconds: Double
    /// Slots of this machine.
    var localSlots: Double
    /// Slots of a node, counted in slots of the speed that ``taskSeconds`` was measured at.
    var slotsPerNode: Double

    /// What keeps a job from being faster.
    enum Bound: String, Encodable, Sendable {
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
        var speedUp: Double
        var bound: Bound
    }

    /// Times as fast as one slot of this machine.
    func forecast(nodes: Int) -> Forecast {
        let (seconds, bound) = time(nodes: nodes)
        return Forecast(nodes: nodes, speedUp: (serialSeconds + Double(tasks) * taskSeconds) / seconds, bound: bound)
    }

    /// Fewest nodes that are within a twentieth of the best that any number of nodes can do.
    var enoughNodes: Int {
        let best = (0...mostNodes).map { time(nodes: $0).seconds }.min() ?? 0
        return (0...mostNodes).first { time(nodes: $0).seconds <= best * 1.05 } ?? mostNodes
    }

    /// What keeps more nodes than those from helping.
    var limit: Bound { time(nodes: mostNodes).bound }

    /// Nodes that have a slot for every task.
    private var mostNodes: Int { Int((Double(tasks) / slots(ofNodes: 1)).rounded(.up)) }

    /// Forecasts for 1, 2, 4, … nodes up to those that are enough, and those.
    var forecasts: [Forecast] {
        let enough = max(1, enoughNodes)
        let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < enough }
        return (Array(powers) + [enough]).map(forecast)
    }

    /// Time on the way of a task to a node and of its answer.
    private var waySeconds: Double { roundTripSeconds + taskBytes / linkBytesPerSecond }

    /// Slots of nodes that compute. Another task waits there for each, so that only a way longer than a task is felt.
    private func slots(ofNodes nodes: Int) -> Double {
        Double(nodes) * slotsPerNode * taskSeconds / max(taskSeconds, (taskSeconds + waySeconds) / 2)
    }

    private func time(nodes: Int) -> (seconds: Double, bound: Bound) {
        // Tasks per second.
        let local = localSlots / taskSeconds
        let computed = slots(ofNodes: nodes) / taskSeconds
        let carried = linkBytesPerSecond / taskBytes
        let remote = min(computed, carried)
        let handled = 1 / coordinatorSeconds
        guard local + remote > 0 else { return (.infinity, .compute) }
        let seconds = max(taskSeconds, Double(tasks) / min(local + remote, handled))
        let bound: Bound =
            if seconds < serialSeconds || handled < local + remote {
                .coordinator
            } else if seconds == taskSeconds {
                .tasks
            } else {
                carried < computed ? .link : .compute
            }
        // The first task's way is not hidden; what this machine scans does not travel.
        return (serialSeconds + waySeconds * remote / (local + remote) + seconds, bound)
    }
}
