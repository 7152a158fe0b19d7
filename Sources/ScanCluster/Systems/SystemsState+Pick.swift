extension SystemsState {
    /// Chooses one of the pending tasks and the system it goes to, and takes the room, in one step.
    ///
    /// In this order: the first task, if it needs no bulk bytes; a task whose bytes a system with room holds; a task
    /// whose bytes nobody holds; any task, whose bytes then travel once more. A task goes to the system where it is
    /// expected to finish first.
    /// - Parameters:
    ///   - pending: the tasks, most urgent first.
    ///   - excluded: systems that cannot run any task of the job.
    ///   - job: takes the room.
    ///   - prefetching: whether tasks may wait at a system for a slot.
    ///   - now: the time.
    /// - Returns: the task's position in `pending` and the reservation; nil if no task can go anywhere now.
    package mutating func pick(
        from pending: some RandomAccessCollection<PendingTask>, excluding excluded: Set<SystemID>, job: Int,
        prefetching: Bool = true, at now: Instant
    ) -> (offset: Int, reservation: Reservation)? {
        guard let first = pending.first,
            members.contains(where: { member in
                member.hasRoom(prefetching: prefetching) && member.isUsable(at: now) && !excluded.contains(member.id)
            })
        else { return nil }
        let usable = members.indices.filter { members[$0].isUsable(at: now) && !excluded.contains(members[$0].id) }
        func best(for request: TaskRequest, where isWanted: (Member) -> Bool = { _ in true }) -> Int? {
            self.best(for: request, among: usable) { $0.hasRoom(prefetching: prefetching) && isWanted($0) }
        }
        var choice: (offset: Int, index: Int)?
        if first.request.key == nil, let index = best(for: first.request) {
            choice = (0, index)
        }
        choice =
            choice
            ?? firstFit(pending) { request in
                request.key.flatMap { key in best(for: request) { $0.held.contains(key) } }
            }
        choice =
            choice
            ?? firstFit(pending) { request in
                let isHeld = request.key.map { key in usable.contains { members[$0].held.contains(key) } } ?? false
                return isHeld ? nil : best(for: request)
            }
        choice = choice ?? firstFit(pending) { best(for: $0) }
        return choice.map { choice in
            let request = pending[pending.index(pending.startIndex, offsetBy: choice.offset)].request
            return (choice.offset, reserve(choice.index, for: request, job: job, at: now))
        }
    }

    private func firstFit(
        _ pending: some RandomAccessCollection<PendingTask>, _ fit: (TaskRequest) -> Int?
    ) -> (offset: Int, index: Int)? {
        for (offset, task) in pending.enumerated() {
            if let index = fit(task.request) { return (offset, index) }
        }
        return nil
    }

    /// The wanted system where a task is expected to finish first; among equals the one that idles longest.
    private func best(for request: TaskRequest, among usable: [Int], where isWanted: (Member) -> Bool) -> Int? {
        let fallbackRate = usable.compactMap { members[$0].pace.rate }.max() ?? 1
        var best: (index: Int, seconds: Double)?
        for index in eligible(for: request, among: usable) where isWanted(members[index]) {
            let member = members[index]
            let rate = member.pace.rate ?? fallbackRate
            let seconds = request.cost / rate + member.inFlightCost / (rate * Double(member.slots))
            if let other = best {
                guard (seconds, member.touched) < (other.seconds, members[other.index].touched) else { continue }
            }
            best = (index, seconds)
        }
        return best?.index
    }

    /// The usable systems a task may go to, with room or without.
    private func eligible(for request: TaskRequest, among usable: [Int]) -> [Int] {
        if request.placement == .anywhere, request.avoiding.isEmpty { return usable }
        let fresh = usable.filter { !request.avoiding.contains(members[$0].id) }
        switch request.placement {
        case .anywhere:
            return fresh.isEmpty ? usable : fresh
        case .localFirst:
            let freshLocal = fresh.filter { members[$0].isLocal }
            if !freshLocal.isEmpty { return freshLocal }
            if !fresh.isEmpty { return fresh }
            let local = usable.filter { members[$0].isLocal }
            return local.isEmpty ? usable : local
        }
    }
}
