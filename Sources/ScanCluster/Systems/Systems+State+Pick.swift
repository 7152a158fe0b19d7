extension Systems.State {
    /// Chooses one of the pending tasks and the system it goes to, and takes the room, in one operation.
    ///
    /// A task without bulk bytes goes to the system with room where it is expected to be done first. For tasks with bulk
    /// bytes all that wait are planned (``CompletionPlan``), transfers included: the first task starts whose system in
    /// the plan has room. A task whose system has none waits for it, although others have room. In this order: a task
    /// whose bytes a system with room holds; a task whose bytes no system holds; a task that another system than the one
    /// that holds its bytes would finish earlier, although they are sent once more. Tasks that may end a process follow;
    /// see ``permitted(for:among:excluding:isLast:)``.
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
        let candidates = candidates(
            excluding: excluded, prefetching: prefetching, sample: Self.sampleSize, at: now)
        defer { spare = candidates }
        guard !candidates.isEmpty || first.request.isSuspect else { return nil }
        // Most tasks, in the shortest way.
        if !first.request.needsBulk, first.request.isFree, let index = best(for: first.request, among: candidates) {
            return (0, reserve(index, for: first.request, run: run, at: now))
        }
        let choice = choice(among: pending, excluding: excluded, prefetching: prefetching, at: now)
        return choice.map { choice in
            let request = pending[pending.index(pending.startIndex, offsetBy: choice.offset)].request
            return (choice.offset, reserve(choice.index, for: request, run: run, at: now))
        }
    }

    /// The first pending task that is to start now, and the member that gets it.
    private func choice(
        among pending: some RandomAccessCollection<PendingTask>, excluding excluded: Set<SystemID>, prefetching: Bool,
        at now: Instant
    ) -> (offset: Int, index: Int)? {
        // Suspects are behind all other tasks.
        let areSuspects = pending.first?.request.isSuspect == true
        let usable = usable(excluding: excluded, spares: areSuspects, at: now)
        var plan = CompletionPlan(self, usable: usable, at: now)
        let most = max(Self.leastPlanned, Self.plannedAssignments / max(1, usable.count))
        // Many tasks may need the same: their members are found once.
        var tagged: (needs: TaskRequest.Needs, permitted: [Int])?
        func permitted(_ request: TaskRequest) -> [Int] {
            if request.isFree { return usable }
            if request.isFirst, let tagged, tagged.needs == request.needs { return tagged.permitted }
            let permitted = self.permitted(
                for: request, among: usable, excluding: excluded, isLast: areSuspects)
            if request.isFirst { tagged = (request.needs, permitted) }
            return preferred(for: request, among: permitted, plan)
        }
        var claim: Claim?
        func hasRoom(_ index: Int, _ request: TaskRequest, _ offset: Int) -> Bool {
            members[index].hasRoom(for: request, prefetching: prefetching)
                && claim?.forbids(index, to: request, at: offset) != true
        }
        // Tasks whose bytes are held where there is no room now.
        var held: [(offset: Int, request: TaskRequest, holder: Int)] = []
        var others: [(offset: Int, request: TaskRequest)] = []
        for (offset, request) in pending.prefix(most).lazy.map(\.request).enumerated() {
            if let due = request.notBefore, now < due { continue }
            let permitted = permitted(request)
            if request.isLarge, !permitted.contains(where: { hasRoom($0, request, offset) }) {
                claim = claim ?? self.claim(of: request, at: offset, among: permitted)
                continue
            }
            guard let holder = holder(of: request, among: permitted, hasRoom: { hasRoom($0, request, offset) }) else {
                others.append((offset, request))
                continue
            }
            if hasRoom(holder, request, offset) { return (offset, holder) }
            held.append((offset, request, holder))
            plan.assign(request, to: holder, sends: false)
        }
        // To a system that reads files, but not this one: it may have that of a later task.
        var transfer: (offset: Int, index: Int)?
        for (offset, request) in others {
            let permitted = permitted(request)
            let roomy = permitted.filter { hasRoom($0, request, offset) }
            // Where nothing is known of any link, tasks wait. The plan does not know when memory or several slots are free.
            let found = plan.best(for: request, among: request.isLarge ? roomy : permitted)
            guard let best = found, best.seconds < .infinity else { continue }
            guard let index = roomy.contains(best.index) ? best.index : early(request, among: roomy, plan) else {
                plan.assign(request, to: best.index)
                continue
            }
            let reading = members[index].reading
            guard reading.isAny, request.isReferable, !reading.allows(request) else { return (offset, index) }
            transfer = transfer ?? (offset, index)
        }
        return transfer ?? transferGain(of: held, plan, permitted: permitted, hasRoom: hasRoom)
    }

    /// What is kept for the most urgent task that finds no room, at the system where it will be found first: of tasks that
    /// follow, those that need none of it start there.
    private struct Claim {
        let index: Int
        /// The task's place among those that wait.
        let offset: Int
        let isOfSlots: Bool

        /// Whether the task `offset` places behind the most urgent one must not take room there.
        func forbids(_ index: Int, to request: TaskRequest, at offset: Int) -> Bool {
            offset > self.offset && index == self.index && (isOfSlots || request.needs.memory > 0)
        }
    }

    /// The claim of a task at the member with the fewest tasks of those that suit it; nil if there is none. Where
    /// cancelled scans hold the slots, nothing is kept: they may never end.
    private func claim(of request: TaskRequest, at offset: Int, among permitted: [Int]) -> Claim? {
        let needs = request.needs
        let able = permitted.filter { members[$0].canGive(needs) }
        let index = able.min { first, second in
            let (a, b) = (members[first], members[second])
            return needs.slots > 1
                ? (a.takenSlots - a.slots, first) < (b.takenSlots - b.slots, second)
                : (a.usedMemory - (a.memory ?? 0), first) < (b.usedMemory - (b.memory ?? 0), second)
        }
        return index.map { index in
            let member = members[index]
            return Claim(
                index: index, offset: offset,
                isOfSlots: needs.slots > 1 && member.takenSlots + needs.slots > member.slots)
        }
    }

    /// Most pairs of a task and a system that one choice compares.
    private static let plannedAssignments = 4096
    /// Tasks that are planned whatever the number of systems.
    private static let leastPlanned = 16

    /// The member that holds the bytes of a task, and may get it: one with room, if there is one.
    private func holder(of request: TaskRequest, among permitted: [Int], hasRoom: (Int) -> Bool) -> Int? {
        guard let key = request.key, isHeld(key) else { return nil }
        let holders = permitted.filter { members[$0].held.contains(key) }
        return holders.first(where: hasRoom) ?? holders.first
    }

    /// A member with room that does the task before all expected work is done, if more work is expected than is known:
    /// other slots have enough to do meanwhile.
    private func early(_ request: TaskRequest, among roomy: [Int], _ plan: CompletionPlan) -> Int? {
        guard expectedWork > 0, let best = plan.best(for: request, among: roomy) else { return nil }
        return best.seconds < plan.horizon(cost: expectedWork, like: request) ? best.index : nil
    }

    /// The last of the held tasks whose transfer gains time: a member with room would have done it before its holder has
    /// done all that waits for it.
    private func transferGain(
        of held: [(offset: Int, request: TaskRequest, holder: Int)], _ plan: CompletionPlan,
        permitted: (TaskRequest) -> [Int], hasRoom: (Int, TaskRequest, Int) -> Bool
    ) -> (offset: Int, index: Int)? {
        for (offset, request, holder) in held.reversed() {
            // Systems that are closer to the bytes come first: without a measurement nothing is known of the wait.
            if request.isRelayed, members[holder].throughput.rate == nil { continue }
            guard let best = plan.best(for: request, among: permitted(request).filter { hasRoom($0, request, offset) })
            else {
                continue
            }
            if best.seconds < plan.finish(of: holder) { return (offset, best.index) }
        }
        return nil
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

    /// The candidate where a task without bulk bytes is expected to finish first; among equals the one that has been idle
    /// longest.
    private func best(for request: TaskRequest, among candidates: [Int]) -> Int? {
        var best: (index: Int, seconds: Double, touched: UInt64)?
        // A system that was never measured counts as one of the fastest.
        lazy var fastest = members.lazy.compactMap(\.throughput.rate).max() ?? 1
        for index in candidates {
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

    /// The members to which tasks of a run may go, those without room included; `spares`: if all of them are suspects.
    func usable(excluding excluded: Set<SystemID>, spares: Bool = false, at now: Instant) -> [Int] {
        members.indices.filter { index in
            let member = members[index]
            return (spares || !member.isSpare) && member.isUsable(at: now) && !excluded.contains(member.id)
        }
    }

    /// Those of the usable members to which this task may go, those without room included: a task that has failed
    /// before, or that needs tags, may wait for one.
    ///
    /// A suspect goes where nothing else is in flight, so that the next loss of a process shows its cause. The local
    /// system gets it only if there is no other system for it, none can be had and, with `isLast`, no other task waits or
    /// is in flight, since this process would end with it: while it must not go there, it goes again to a system that
    /// failed it.
    func permitted(
        for request: TaskRequest, among usable: [Int], excluding excluded: Set<SystemID>, isLast: Bool
    ) -> [Int] {
        if request.isFree { return usable }
        let suited = usable.filter { members[$0].suits(request.needs) }
        if request.isSuspect {
            let mayBeLocal = isLast && !hasSpares && !hasRemote(for: request, excluding: excluded)
            let allowed = mayBeLocal ? suited : suited.filter { !members[$0].isLocal }
            return fresh(allowed, for: request).filter { index in
                let member = members[index]
                return member.inFlight == (member.isLocal ? member.suspects : 0)
            }
        }
        return fresh(suited, for: request)
    }

    /// Of the members to which a task may go, those that get it: a task that has failed goes to the local system if a slot
    /// is free there before another system would have done it.
    func preferred(for request: TaskRequest, among permitted: [Int], _ plan: CompletionPlan) -> [Int] {
        guard request.placement == .localFirst, !request.isSuspect,
            let local = permitted.first(where: { members[$0].isLocal })
        else { return permitted }
        let other = plan.best(for: request, among: permitted.filter { $0 != local })?.seconds ?? .infinity
        return plan.start(on: local) < other ? [local] : permitted
    }

    /// Those of `suited` that have not failed the task; all of them if each has.
    private func fresh(_ suited: [Int], for request: TaskRequest) -> [Int] {
        let fresh = suited.filter { !request.avoiding.contains(members[$0].id) }
        return fresh.isEmpty ? suited : fresh
    }
}

extension Systems.State {
    /// Whether another process could run the task, now or once it is no longer busy or set aside.
    func hasRemote(for request: TaskRequest, excluding excluded: Set<SystemID>) -> Bool {
        members.contains { member in
            !member.isLocal && member.abandoned < member.slots && !excluded.contains(member.id)
                && member.suits(request.needs)
        }
    }
}

extension Systems.State.Member {
    /// Whether so much can become free while the abandoned scans go on.
    func canGive(_ needs: TaskRequest.Needs) -> Bool {
        needs.slots <= slots - abandonedRoom.slots
            && (needs.memory == 0 || needs.memory <= (memory ?? 0) - abandonedRoom.memory)
    }
}

extension TaskRequest {
    /// Whether only certain systems suit the task. Tasks behind it may then start before it.
    var isChoosy: Bool { needsBulk || !isFree }

    /// Whether the task has bulk bytes, so that it matters where they are.
    var needsBulk: Bool { key != nil || bytes > 0 }

    /// Whether the task has not failed.
    fileprivate var isFirst: Bool { placement == .anywhere && avoiding.isEmpty }
}
