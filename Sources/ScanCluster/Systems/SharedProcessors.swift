/// Processors that several systems have one of, and nothing else: those of nodes that share it. A second task there makes
/// none faster, and both end later. Systems that share several processors count as independent: how many tasks these
/// carry depends on what else runs there, and each system that was started is used. Pure.
struct SharedProcessors {
    private struct Machine {
        /// One, or as many as one of its systems has slots.
        var count = 1.0
        /// Tasks in flight or planned.
        var tasks = 0
        /// Seconds of one slot for all of them.
        var backlog = 0.0
    }

    /// Those that several systems share.
    private var machines: [UInt64: Machine] = [:]

    /// Those of the members of `state`, with what these have in flight.
    init(_ state: SystemsState, at now: Instant) {
        guard state.sharesProcessor else { return }
        for (machine, members) in Dictionary(grouping: state.members, by: \.machine) where members.count > 1 {
            var shared = Machine(count: members.map { Double($0.slots) }.max() ?? 1)
            for member in members {
                shared.tasks += member.inFlight + member.abandoned
                shared.backlog += member.backlog(rate: state.rate(of: member), at: now)
            }
            machines[machine] = shared
        }
    }

    /// Seconds until a machine's processor is free for a task.
    func free(on machine: UInt64) -> Double {
        guard let machine = machines[machine], Double(machine.tasks) >= machine.count else { return 0 }
        return machine.backlog / machine.count
    }

    /// One of the machine's systems gets a task, which takes so many seconds.
    mutating func assign(_ seconds: Double, to machine: UInt64) {
        machines[machine]?.tasks += 1
        machines[machine]?.backlog += seconds
    }
}
