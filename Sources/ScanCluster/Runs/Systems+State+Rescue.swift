extension Systems.State {
    /// An attempt in flight, the only one at its task.
    package struct Running: Sendable {
        package var request: TaskRequest
        package var reservation: Reservation
        /// Attempts at the task before this one.
        package var earlier: Int

        package init(request: TaskRequest, reservation: Reservation, earlier: Int = 0) {
            (self.request, self.reservation, self.earlier) = (request, reservation, earlier)
        }
    }

    /// A second attempt at a task in flight.
    package struct Rescue: Equatable, Sendable {
        /// The attempt's position in the list that was given.
        package var offset: Int
        package var reservation: Reservation
        /// Whether the first attempt is to be cancelled now, since its bulk bytes are still on their way.
        package var recalls: Bool
    }

    /// Most attempts in flight that a run compares with what an idle slot would do.
    package static let mostCompared = 256
    /// Those of them that would end last, which are compared with each idle system.
    private static let mostSought = 8
    /// Part of the expected rest of an attempt in which another system must do the task from the beginning: the local
    /// system, a system to which the bytes are sent, and one beside an attempt that runs already.
    private static let (localPart, remotePart, runningPart) = (0.95, 0.7, 0.6)
    /// The same for an attempt whose bytes are being sent for the second time: bytes must not go to and fro.
    private static let movedPart = 0.35
    /// Attempts after which the bytes of a task are not sent anew.
    private static let mostMoves = 8
    /// The same for a task of whose bytes nothing was sent yet.
    private static let mostChoices = 64
    /// Seconds that a second attempt beside a running one must save: a shorter task is not worth one.
    private static let leastGain = StragglerPolicy.least / .seconds(1)

    /// Chooses a task in flight that an idle system would have done before the system that has it, and takes the room.
    ///
    /// While an attempt's bulk bytes are still being sent, it is recalled: nothing else of it is sent. Otherwise the
    /// first output counts.
    /// - Returns: nil if no attempt is worth it.
    package mutating func rescue(
        among running: [Running], excluding excluded: Set<SystemID>, run: RunID, at now: Instant
    ) -> Rescue? {
        let targets = usable(excluding: excluded, at: now).filter { members[$0].hasRoom(prefetching: false) }
        guard !targets.isEmpty, !running.isEmpty else { return nil }
        let late = latest(of: running, at: now)
        let plan = CompletionPlan(self, usable: targets, at: now)
        var best: (offset: Int, index: Int, gain: Double, recalls: Bool)?
        for attempt in late {
            let request = running[attempt.offset].request
            let system = running[attempt.offset].reservation.system
            let permitted = permitted(for: request, among: targets, excluding: excluded, isLast: false)
            for index in preferred(for: request, among: permitted, plan) where members[index].id != system {
                guard members[index].hasRoom(for: request, prefetching: false) else { continue }
                let isHeld = request.key.map { members[index].held.contains($0) } ?? false
                let seconds = plan.completion(of: request, on: index, sends: !isHeld)
                let sends = !members[index].isLocal && request.bytes > 0 && !isHeld && !members[index].canRead(request)
                // What has been sent would be lost.
                if sends, attempt.transfer == .begun, members[index].link.rate == nil { continue }
                let earlier = running[attempt.offset].earlier
                if sends, earlier + 1 >= (attempt.transfer == .waiting ? Self.mostChoices : Self.mostMoves) { continue }
                let part = part(of: attempt.transfer, sends: sends, hasMoved: earlier > 0)
                let least = attempt.transfer != .done ? 0 : Self.leastGain
                let gain = attempt.seconds - seconds
                guard seconds < part * attempt.seconds, gain > least, gain > best?.gain ?? 0 else { continue }
                best = (attempt.offset, index, gain, attempt.transfer != .done)
            }
        }
        return best.map { best in
            let reservation = reserve(best.index, for: running[best.offset].request, run: run, at: now)
            return Rescue(offset: best.offset, reservation: reservation, recalls: best.recalls)
        }
    }

    /// Time without progress of a link after which its transfers may be sent to other systems as well.
    private static let longestStall = StragglerPolicy.unknown

    /// Whether the bulk bytes of an attempt are on their way, and get on. How long that takes is known, and
    /// ``rescue(among:excluding:run:at:)`` compares it. The time that passes shows nothing more, and the same bytes to
    /// another system would share the way.
    package func isReceiving(_ reservation: Reservation, at now: Instant) -> Bool {
        guard let index = index(of: reservation), members[index].link.left(of: reservation.ticket) != nil else {
            return false
        }
        return now.since(members[index].link.progress) < Self.longestStall
    }

    /// The part of the expected rest of an attempt in which another system must do its task.
    private func part(of transfer: Member.Transfer, sends: Bool, hasMoved: Bool) -> Double {
        if transfer == .done { return Self.runningPart }
        if !sends { return Self.localPart }
        return transfer == .begun && hasMoved ? Self.movedPart : Self.remotePart
    }

    private func latest(
        of running: [Running], at now: Instant
    ) -> [(offset: Int, seconds: Double, transfer: Member.Transfer)] {
        let busy = members.count { $0.link.isBusy }
        let shared = sharedLink.seconds(for: members.reduce(0) { $0 + $1.link.waiting })
        let isKnown = assumedRate != nil || members.contains { $0.throughput.rate != nil }
        var ends: [(offset: Int, seconds: Double, transfer: Member.Transfer)] = []
        for (offset, attempt) in running.enumerated() {
            guard let index = index(of: attempt.reservation) else { continue }
            let member = members[index]
            let rate = rate(of: member)
            let isShared = busy > (member.link.isBusy ? 1 : 0)
            if attempt.reservation.ticket > 0 {
                let end = member.expectedEnd(
                    of: attempt.reservation.ticket, rate: rate, isKnown: isKnown, isShared: isShared, shared: shared,
                    at: now)
                if let end { ends.append((offset, end.seconds, end.transfer)) }
            } else {
                // Without bulk bytes the order of a system's attempts is not known.
                let slots = Double(max(1, min(member.slots, member.inFlight)))
                ends.append((offset, member.inFlightCost / (rate * slots) + member.latency, .done))
            }
        }
        ends.sort { ($1.seconds, $0.offset) < ($0.seconds, $1.offset) }
        return Array(ends.prefix(Self.mostSought))
    }
}
