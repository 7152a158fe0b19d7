extension Systems.State {
    /// Counts of tasks since the runs began. Those of a member are kept whether anybody reads them or not: two additions
    /// per attempt.
    struct TaskCounts: Equatable, Sendable {
        var completed = 0
        var failed = 0
        /// Tasks of the attempts in flight.
        var inFlight = 0

        /// An attempt at `tasks` tasks, which are more than one in a chunk, ended.
        mutating func end(_ tasks: Int, as outcome: AttemptOutcome) {
            inFlight -= tasks
            switch outcome {
            case .finished: completed += tasks
            case .failed: failed += tasks
            case .error(let error):
                switch error.code {
                case .systemLost, .disconnected, .timedOut, .invalidResponse: failed += tasks
                case .cancelled, .overtaken, .refused, .draining, .unknownType, .bulkMissing, .bulkUnreadable,
                    .noSystem, .tasksUnreadable, .journal:
                    break
                }
            }
        }
    }

    /// Runs begin after a time without any.
    mutating func beginProgress() {
        gone = [:]
        for index in members.indices { (members[index].counts.completed, members[index].counts.failed) = (0, 0) }
    }

    /// A member has left; `isLost`: and with it the attempts that it had.
    mutating func keepCounts(of member: Member, isLost: Bool) {
        var counts = gone[member.name] ?? TaskCounts()
        counts.completed += member.counts.completed
        counts.failed += member.counts.failed + (isLost ? member.counts.inFlight : 0)
        // Bounded as the other table of systems that have left.
        if counts != TaskCounts(), gone.count < 1024 { gone[member.name] = counts }
    }

    /// Of the outputs of the system of this name, `count` were none after all: a task of a chunk had failed, or another
    /// attempt was earlier.
    mutating func discount(_ count: Int, of name: String, asFailed: Bool) {
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].counts.completed -= count
            if asFailed { members[index].counts.failed += count }
        } else {
            gone[name]?.completed -= count
            if asFailed { gone[name]?.failed += count }
        }
    }

    /// The systems with their counts.
    var progress: [RunProgress.System] {
        var left = gone
        var systems = members.filter { !$0.isSpare || $0.counts != TaskCounts() }.map { member in
            let earlier = left.removeValue(forKey: member.name) ?? TaskCounts()
            var counts = RunProgress.Counts()
            counts.running = min(member.inFlight, member.slots)
            counts.scheduled = member.counts.inFlight - counts.running
            counts.completed = member.counts.completed + earlier.completed
            counts.failed = member.counts.failed + earlier.failed
            return RunProgress.System(name: member.name, slots: member.slots, counts: counts)
        }
        for (name, earlier) in left.sorted(by: { $0.key < $1.key }) {
            var counts = RunProgress.Counts()
            (counts.completed, counts.failed) = (earlier.completed, earlier.failed)
            systems.append(RunProgress.System(name: name, slots: 0, counts: counts))
        }
        return systems
    }
}
