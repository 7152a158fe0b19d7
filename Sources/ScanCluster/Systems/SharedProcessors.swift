/// Processors that several systems have one of, and nothing else: those of nodes that share it. A second task there makes
/// none faster, and both end later. Systems that share several processors count as independent: how many tasks these
/// carry depends on what else runs there, and each system that was started is used. Pure.
struct SharedProcessors {
    private struct Processor {
        /// Most tasks that it runs at a time: as many as one of its systems has slots.
        let slots: Double
        /// Tasks in flight or planned.
        var tasks = 0
        /// Seconds of one slot for all of them.
        var backlog = 0.0
    }

    private var processors: [Processor] = []
    /// The place in ``processors`` of that of a member, by the member's index.
    private var places: [Int: Int] = [:]

    /// Those of the members of `state`, with what these have in flight.
    init(_ state: Systems.State, at now: Instant) {
        let bound = state.members.indices.filter { state.members[$0].processors?.count == 1 }
        guard bound.count > 1 else { return }
        for sharing in Dictionary(grouping: bound, by: { state.members[$0].processors }).values where sharing.count > 1
        {
            let members = sharing.map { state.members[$0] }
            var processor = Processor(slots: members.map { Double($0.slots) }.max() ?? 1)
            for member in members {
                processor.tasks += member.inFlight + member.abandoned
                processor.backlog += member.backlog(rate: state.rate(of: member), at: now)
            }
            for index in sharing { places[index] = processors.count }
            processors.append(processor)
        }
    }

    /// Seconds until the processor of a member is free for a task; 0 if the member shares none.
    func free(for index: Int) -> Double {
        guard let place = places[index] else { return 0 }
        let processor = processors[place]
        return Double(processor.tasks) < processor.slots ? 0 : processor.backlog / processor.slots
    }

    /// A member gets a task, which takes so many seconds.
    mutating func assign(_ seconds: Double, to index: Int) {
        guard let place = places[index] else { return }
        processors[place].tasks += 1
        processors[place].backlog += seconds
    }
}
