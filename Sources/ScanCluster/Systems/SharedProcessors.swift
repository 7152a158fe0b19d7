/// Processors that several systems may use: those of nodes on one machine, or of a node beside the coordinator. More tasks
/// at a time than there are processors make none of them faster. Pure.
struct SharedProcessors {
    private struct Machine {
        /// As many as its systems may use together, and at least as many as one of them has slots.
        var count = 0.0
        /// Tasks in flight or planned.
        var tasks = 0
        /// Seconds of one processor for all of them.
        var backlog = 0.0
    }

    /// Those with several systems.
    private var machines: [UInt64: Machine] = [:]

    /// Those of the members of `state`, with what these have in flight.
    init(_ state: SystemsState, at now: Instant) {
        guard state.sharesProcessors else { return }
        for (machine, members) in Dictionary(grouping: state.members, by: \.machine) where members.count > 1 {
            var union = members[0].processors
            var shared = Machine(count: members.map { Double($0.slots) }.max() ?? 1)
            for member in members {
                union = member.processors.flatMap { union?.union($0) }
                shared.tasks += member.inFlight + member.abandoned
                shared.backlog += member.backlog(rate: state.rate(of: member), at: now)
            }
            shared.count = max(shared.count, Double(union?.count ?? 1))
            machines[machine] = shared
        }
    }

    /// Seconds until one of a machine's processors is free.
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
