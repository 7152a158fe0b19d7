extension SystemsState {
    /// Chooses one of the pending tasks and the system it goes to, and takes the room, in one operation.
    ///
    /// In this order: the first task, if it needs no bulk bytes; a task whose bytes a system with room holds; a task
    /// whose bytes no system holds; a task that another system than the one that holds its bytes would finish earlier,
    /// although they are sent once more. A task goes to the system where it is expected to finish first.
    /// - Parameters:
    ///   - pending: the tasks, most urgent first.
    ///   - excluded: systems that cannot run any task of the run.
    ///   - run: the run that takes the room.
    ///   - prefetching: whether tasks may wait at a system for a slot.
    ///   - now: the time.
    /// - Returns: the task's position in `pending` and the reservation; nil if no task can go anywhere now.
    package mutating func pick(
        from pending: some RandomAccessCollection<PendingTask>, excluding excluded: Set<SystemID>, run: RunID,
        prefetching: Bool = true, at now: Instant
    ) -> (offset: Int, reservation: Reservation)? {
        guard let first = pending.first else { return nil }
        // For bulk bytes that a system may hold, more members are looked at.
        let sample = first.request.key == nil ? Self.sampleSize : Self.candidateLimit
        let candidates = candidates(excluding: excluded, prefetching: prefetching, sample: sample, at: now)
        defer { spare = candidates }
        guard !candidates.isEmpty else { return nil }
        // Most tasks, in the shortest way.
        if first.request.key == nil, first.request.isFree, let index = self.best(for: first.request, among: candidates)
        {
            return (0, reserve(index, for: first.request, run: run, at: now))
        }
        // Of many tasks that wait for the same tags.
        var tagged: (tags: Set<String>, eligible: [Int])?
        func suitable(_ request: TaskRequest) -> [Int] {
            if request.isFree { return candidates }
            if request.isFirst, let tagged, tagged.tags == request.tags { return tagged.eligible }
            let eligible = eligible(for: request, prefetching: prefetching, excluding: excluded, at: now)
            if request.isFirst { tagged = (request.tags, eligible) }
            return eligible
        }
        func best(for request: TaskRequest, where isWanted: (Int) -> Bool = { _ in true }) -> Int? {
            let eligible = suitable(request)
            return self.best(for: request, among: eligible, where: isWanted)
        }
        var choice: (offset: Int, index: Int)?
        if first.request.key == nil, let index = best(for: first.request) {
            choice = (0, index)
        }
        choice =
            choice
            ?? firstFit(pending) { _, request in
                request.key.flatMap { key in best(for: request) { members[$0].held.contains(key) } }
            }
        choice =
            choice
            ?? firstFit(pending) { _, request in
                request.key.map(isHeld) == true ? nil : best(for: request)
            }
        if choice == nil {
            let relief = Relief(of: self, from: pending, excluding: excluded, prefetching: prefetching, at: now)
            choice = firstFit(pending) { offset, request in
                // A holder with room is not among the candidates if more members have room than are looked at.
                if let holder = relief.holders[offset], members[holder].hasRoom(prefetching: prefetching) {
                    return holder
                }
                return best(for: request).flatMap { relief.pays($0, for: request, at: offset, in: self) ? $0 : nil }
            }
        }
        return choice.map { choice in
            let request = pending[pending.index(pending.startIndex, offsetBy: choice.offset)].request
            return (choice.offset, reserve(choice.index, for: request, run: run, at: now))
        }
    }

    /// Whether a slot is idle that a run may use.
    package func hasIdleSlot(excluding excluded: Set<SystemID>, at now: Instant) -> Bool {
        idle.indices.contains { members[$0].isUsable(at: now) && !excluded.contains(members[$0].id) }
    }

    /// Most members with room that are all looked at for one choice.
    package static let candidateLimit = 64

    /// How many are looked at if more have room, for a task without bulk bytes: the best of this many is about as good
    /// as the best of all (M. Mitzenmacher, The Power of Two Choices in Randomized Load Balancing, IEEE TPDS 12, 2001),
    /// and the choice does not take longer in a larger cluster.
    package static let sampleSize = 16

    /// Members with room that the run may use; where there are many, `sample` of them, other ones each time.
    private mutating func candidates(
        excluding excluded: Set<SystemID>, prefetching: Bool, sample: Int, at now: Instant
    ) -> [Int] {
        let pool = prefetching ? open.indices : idle.indices
        let most = pool.count > Self.candidateLimit ? sample : pool.count
        if most < pool.count { cursor &+= most }
        var candidates = spare
        spare = []
        candidates.removeAll(keepingCapacity: true)
        for step in pool.indices {
            let index = pool[(cursor &+ step) % pool.count]
            guard members[index].isUsable(at: now), !excluded.contains(members[index].id) else { continue }
            candidates.append(index)
            if candidates.count == most { break }
        }
        return candidates
    }

    private func firstFit(
        _ pending: some RandomAccessCollection<PendingTask>, _ fit: (_ offset: Int, TaskRequest) -> Int?
    ) -> (offset: Int, index: Int)? {
        for (offset, task) in pending.enumerated() {
            if let index = fit(offset, task.request) { return (offset, index) }
        }
        return nil
    }

    /// The wanted candidate where a task is expected to finish first; among equals the one that has been idle longest.
    private func best(
        for request: TaskRequest, among candidates: [Int], where isWanted: (Int) -> Bool = { _ in true }
    ) -> Int? {
        var best: (index: Int, seconds: Double, touched: UInt64)?
        // A system that was never measured counts as one of the fastest.
        lazy var fastest = members.lazy.compactMap(\.throughput.rate).max() ?? 1
        for index in candidates where isWanted(index) {
            let rate = members[index].throughput.rate ?? fastest
            let work = members[index].inFlightCost / (rate * Double(members[index].slots))
            let seconds = request.cost / rate + work
            let touched = members[index].touched
            if let best {
                guard (seconds, touched) < (best.seconds, best.touched) else { continue }
            }
            best = (index, seconds, touched)
        }
        return best?.index
    }

    /// The members with room to which a task may go that has failed before, or that needs tags. Such tasks are few: all
    /// members are looked at.
    private func eligible(
        for request: TaskRequest, prefetching: Bool, excluding excluded: Set<SystemID>, at now: Instant
    ) -> [Int] {
        permitted(for: request, among: usable(excluding: excluded, at: now)).filter {
            members[$0].hasRoom(prefetching: prefetching)
        }
    }

    /// The members to which tasks of a run may go, those without room included.
    func usable(excluding excluded: Set<SystemID>, at now: Instant) -> [Int] {
        members.indices.filter { members[$0].isUsable(at: now) && !excluded.contains(members[$0].id) }
    }

    /// Those of the usable members to which this task may go, those without room included: a task that has failed
    /// before, or that needs tags, may wait for one.
    func permitted(for request: TaskRequest, among usable: [Int]) -> [Int] {
        if request.isFree { return usable }
        let suited = usable.filter { request.suits(members[$0].tags) }
        let fresh = suited.filter { !request.avoiding.contains(members[$0].id) }
        let permitted = fresh.isEmpty ? suited : fresh
        guard request.placement == .localFirst else { return permitted }
        let local = permitted.filter { members[$0].isLocal }
        return local.isEmpty ? permitted : local
    }
}

extension TaskRequest {
    /// Whether only certain systems suit the task. Tasks behind it may then start before it.
    var isChoosy: Bool { key != nil || !isFree }

    /// Whether the task has not failed.
    fileprivate var isFirst: Bool { placement == .anywhere && avoiding.isEmpty }
}
