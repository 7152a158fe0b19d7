/// Bulk bytes that a system reads itself, by references to them. Pure.
struct ReadableBytes: Sendable {
    /// Whether it reads any.
    private(set) var isAny = false
    /// Numbers of origins that it cannot read.
    private var missing: Set<Int> = []
    /// At this limit all are dropped, and found out again.
    private static let limit = 1 << 16

    init(isAny: Bool = false) { self.isAny = isAny }

    /// Whether it reads those of a task.
    func allows(_ request: TaskRequest) -> Bool {
        isAny && request.isReferable && (missing.isEmpty || !missing.contains(request.origin))
    }

    /// It cannot read those from this origin; 0: from any.
    mutating func remove(_ origin: Int) {
        if origin == 0 { isAny = false }
        if missing.count >= Self.limit { missing = [] }
        missing.insert(origin)
    }
}

extension Systems.State.Member {
    /// An attempt that needs bulk bytes begins; `keeps`: whether the system keeps them, and has not had them before;
    /// `bytes`: how many are sent for it.
    mutating func begin(_ ticket: UInt64, _ request: TaskRequest, keeps: Bool, bytes: Int, at now: Instant) {
        assigned.append(
            .init(
                ticket: ticket, cost: request.cost, key: keeps ? request.key : nil, origin: request.origin,
                arrival: bytes > 0 ? nil : now))
        link.begin(ticket, count: bytes, at: now)
    }

    /// Whether it reads the bulk bytes of a task itself.
    func canRead(_ request: TaskRequest) -> Bool { reading.allows(request) }

    /// It has ended.
    /// - Returns: the key of its bulk bytes, if they have not been sent to the end.
    mutating func end(_ ticket: UInt64) -> BulkKey? {
        let isSent = link.left(of: ticket) == nil
        link.end(ticket)
        guard let place = assigned.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        let ended = assigned.remove(at: place)
        return isSent ? nil : ended.key
    }

    /// Attempts whose remaining time is computed one by one; of more, half of the running ones counts as done.
    private static let countedAttempts = 8
    /// Least part of its expected time that an attempt under way still takes.
    private static let leastRemaining = 0.1

    /// Expected seconds of one slot for all that is in flight, at `rate` cost per second.
    func backlog(rate: Double, at now: Instant) -> Double {
        let all = inFlightCost / rate
        guard inFlight > 0, !assigned.isEmpty else { return all }
        let running = assigned.prefix(slots)
        guard assigned.count <= Self.countedAttempts else {
            return all - 0.5 * running.reduce(0) { $0 + ($1.arrival == nil ? 0 : $1.cost) } / rate
        }
        return running.reduce(all) { $0 - $1.cost / rate + remaining($1, rate: rate, at: now) }
    }

    /// Expected seconds of a slot until an attempt, one of the oldest, is done.
    private func remaining(_ attempt: Systems.State.Assigned, rate: Double, at now: Instant) -> Double {
        let seconds = attempt.cost / rate
        guard let arrival = attempt.arrival else { return seconds }
        return max(Self.leastRemaining * seconds, seconds - now.since(arrival) / .seconds(1))
    }

    /// Expected seconds until an attempt with bulk bytes is done, and how far its bytes are. `isKnown`: whether `rate` was
    /// measured or stated, here or for another system; `shared`: seconds that the transfers to all systems need at least.
    func expectedEnd(
        of ticket: UInt64, rate: Double, isKnown: Bool, isShared: Bool, shared: Double, at now: Instant
    ) -> (seconds: Double, transfer: Transfer)? {
        guard let place = assigned.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        let left = link.left(of: ticket)
        let arrival = left.map {
            let own = $0 / link.expectedRate(isShared: isShared, at: now)
            return max(own, shared * $0 / max($0, link.waiting)) + latency / 2
        }
        let ahead = assigned[..<place].reduce(0) { $0 + remaining($1, rate: rate, at: now) }
        let start = place < slots ? 0 : ahead / Double(slots)
        let isRunning = place < slots && left == nil
        let attempt = assigned[place]
        let seconds: Double
        if isRunning, let arrival = attempt.arrival {
            // One that takes longer than expected is expected to take as long again as it is late: the system may never
            // answer.
            let (usual, past) = (attempt.cost / rate, now.since(arrival) / .seconds(1))
            seconds = past < usual || isKnown ? abs(usual - past) : min(past - usual, usual)
        } else {
            seconds = attempt.cost / rate
        }
        let transfer = left == nil ? Transfer.done : link.hasBegun(ticket) ? .begun : .waiting
        return (max(start, arrival ?? 0) + seconds + latency / 2, transfer)
    }

    /// How far the bulk bytes of an attempt are.
    enum Transfer: Equatable, Sendable {
        /// None is sent, or behind others.
        case waiting
        /// Its bytes are being sent.
        case begun
        /// The system has them, or there are none.
        case done
    }
}

extension Systems.State {
    /// What a transport reports of its link.
    package struct LinkReport: Equatable, Sendable {
        /// ``Reservation/ticket`` of the attempt, and the bulk bytes of it that are not yet written; nil for none.
        package var transfer: (ticket: UInt64, left: Int)?
        /// Bytes per second that the link took lately; nil if that was not measured.
        package var rate: Double?
        /// Seconds of a round trip; nil if unknown.
        package var roundTrip: Double?

        package init(transfer: (ticket: UInt64, left: Int)? = nil, rate: Double? = nil, roundTrip: Double? = nil) {
            (self.transfer, self.rate, self.roundTrip) = (transfer, rate, roundTrip)
        }

        package static func == (left: LinkReport, right: LinkReport) -> Bool {
            left.transfer?.ticket == right.transfer?.ticket && left.transfer?.left == right.transfer?.left
                && left.rate == right.rate && left.roundTrip == right.roundTrip
        }
    }

    /// The link to a system made progress.
    /// - Returns: whether expectations may have changed by so much that another choice is better.
    package mutating func note(_ report: LinkReport, of id: SystemID, at now: Instant) -> Bool {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return false }
        if let seconds = report.roundTrip { members[index].latency = seconds }
        // Tasks wait for links of which nothing is known.
        let wasProbed = members[index].link.isProbed
        var isChanged = false
        if let (ticket, left) = report.transfer {
            members[index].link.update(ticket, left: left, at: now)
            if left > 0, let place = members[index].assigned.firstIndex(where: { $0.ticket == ticket }),
                members[index].assigned[place].arrival != nil
            {
                // It was to read them itself, and cannot.
                members[index].assigned[place].arrival = nil
                members[index].reading.remove(members[index].assigned[place].origin)
            }
            if left == 0, let place = members[index].assigned.firstIndex(where: { $0.ticket == ticket }) {
                members[index].assigned[place].arrival = now
                isChanged = true
            }
        }
        guard let rate = report.rate else { return isChanged || wasProbed && !members[index].link.isProbed }
        let isAlone = !members.indices.contains { $0 != index && members[$0].link.isBusy }
        if members[index].link.measure(rate, isAlone: isAlone) { isChanged = true }
        if !isAlone || sharedLink.capacity != nil {
            sharedLink.measure(
                members.lazy.filter(\.link.isBusy).compactMap { member in
                    member.link.rate.map { (rate: $0, alone: member.link.aloneRate) }
                })
        }
        return isChanged || wasProbed
    }

    /// The local slots, and of each node as many as its link keeps busy; all of them if there is no local slot, since then
    /// nothing is slower for small tasks.
    package func usefulSlots(bytesPerCost: Double) -> Int {
        let hasLocal = members.contains(where: \.isLocal)
        return members.reduce(0) { sum, member in
            if member.isSpare { return sum }
            if member.isLocal || member.reading.isAny || bytesPerCost <= 0 || !hasLocal { return sum + member.slots }
            let carried = (member.link.aloneRate ?? member.link.rate ?? member.link.nominal) / bytesPerCost
            return sum + min(member.slots, Int(carried / rate(of: member)))
        }
    }

    /// States the speed of the local system, if there is one that does not have it.
    mutating func measureLocalSpeed(_ measure: () -> Double) {
        for index in members.indices where members[index].isLocal && members[index].speed == nil {
            members[index].speed = measure()
        }
    }

    /// Cost per second of one slot of a member. Of a system that was never measured it follows from the rates of others
    /// and the speeds that both state; before any is measured, the local system, or the fastest one without a local
    /// system, is taken to have the assumed rate. Without speeds a system counts as one of the fastest.
    func rate(of member: Member) -> Double {
        if let rate = member.throughput.rate { return rate }
        guard let speed = member.speed else {
            return members.lazy.compactMap(\.throughput.rate).max() ?? assumedRate ?? 1
        }
        let known = members.lazy.compactMap { other in
            other.throughput.rate.flatMap { rate in other.speed.map { rate / $0 } }
        }
        if let perSpeed = known.max() { return perSpeed * speed }
        let local = members.lazy.filter(\.isLocal).compactMap(\.speed).first
        let reference = local ?? members.lazy.compactMap(\.speed).max() ?? speed
        return (assumedRate ?? 1) * speed / reference
    }
}
