internal import ScanBasics

/// How long a scenario's job takes, compared with the same without one node and with the bound.
package struct MakespanReport: Sendable {
    /// With all nodes, without the node that was chosen, and at least, in seconds.
    package var with: Double, without: Double, bound: Double
    /// Seconds of the longest task on a slot of the coordinator.
    package var task: Double
    /// What is wrong; nil if nothing is.
    package var violation: String?

    /// Part of the best possible, if one task more than the best possible may be done at the end.
    package var share: Double { with == 0 ? 1 : (bound + task + Self.reaction) / with }

    /// Seconds that may pass until a change is noticed: two comparisons of expected ends.
    private static let reaction = 0.1

    /// Runs the scenario twice.
    package init(_ scenario: MakespanScenario, trace: ((String) -> Void)? = nil) {
        var random = SplitMix64(seed: scenario.seed)
        var full = MakespanSimulation(scenario, trace: trace)
        with = full.makespan()
        bound = scenario.bound
        task = scenario.tasks.map(\.seconds).max() ?? 0
        violation = full.violation
        let removed = Int.random(in: 0..<scenario.nodes.count, using: &random)
        let rest = scenario.without(removed)
        // Something must be left that stays.
        guard scenario.localSlots > 0 || rest.nodes.contains(where: { $0.joins == 0 && $0.leaves == nil }) else {
            without = .infinity
            return
        }
        var other = MakespanSimulation(rest)
        without = other.makespan()
        violation = violation ?? other.violation
        // A node that is lost takes the bytes with it that it held for the next pass.
        let tasks = scenario.nodes[removed].leaves == nil ? task : task * Double(scenario.passes)
        if with > 1.05 * without + tasks + scenario.leastTransfer + Self.reaction {
            violation = violation ?? "\(with) s with node \(removed), \(without) s without it"
        }
    }
}

extension MakespanScenario {
    /// What the job takes with one node more, which takes tasks and never answers one, and at most so many seconds; nil if
    /// nothing is known of the systems when it begins, no slot is here, or the bytes for that node delay those for others.
    package var withMuteNode: (seconds: Double, most: Double)? {
        guard localSlots > 0, let assumedRate, isSteady, sharedBytesPerSecond == .infinity else { return nil }
        var other = self
        other.nodes.append(Node(slots: 2, speed: 0, bytesPerSecond: 1.25e9, latency: 0.0005, statedSpeed: 1))
        var (plain, mute) = (MakespanSimulation(self), MakespanSimulation(other))
        let without = plain.makespan()
        // The node has up to four tasks. Each is late after a multiple of its expected time, and is then done here.
        let task = (tasks.map(\.seconds).max() ?? 0) * (1 + 3 * max(1, 1 / assumedRate))
        let seconds = mute.makespan()
        return (mute.violation == nil ? seconds : .infinity, 1.05 * without + Double(passes) * (4 * task + 0.3))
    }
}
