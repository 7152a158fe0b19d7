extension Systems {
    /// The registry of reachable systems: their load and speed, which are set aside, and which one gets a task. Pure.
    package struct State: Sendable {
        /// One reachable system.
        package struct Member: Sendable {
            let serial: UInt64
            package let id: SystemID
            package let name: String
            package let slots: Int
            package let isLocal: Bool
            package let tags: Set<String>
            let maxDepth: Int
            /// See ``ScanSystem/Link/isSpare``.
            var isSpare = false
            package fileprivate(set) var inFlight = 0
            /// Slots that attempts in flight take beyond one each.
            package fileprivate(set) var furtherSlots = 0
            /// Bytes that its tasks may need together; nil if unknown.
            package fileprivate(set) var memory: Int?
            /// Bytes that attempts in flight need.
            package fileprivate(set) var usedMemory = 0
            /// Attempts in flight at tasks that may end its process.
            package fileprivate(set) var suspects = 0
            var inFlightCost = 0.0
            /// When the newest of its attempts began.
            var lastStart = Instant(nanoseconds: .min)
            /// When its last output arrived.
            var lastOutput = Instant(nanoseconds: .min)
            /// Slots held by abandoned scans.
            package var abandoned: Int { abandonedRoom.slots }
            fileprivate(set) var abandonedRoom = AbandonedRoom()
            package fileprivate(set) var done = 0
            var counts = TaskCounts()
            package fileprivate(set) var throughput = ThroughputEstimate()
            package fileprivate(set) var backOff = BackOff()
            var held = HeldKeys()
            /// The bulk bytes that are on their way to it, and the link's rate; of no use for the local system.
            var link = BulkLink()
            /// Attempts in flight that need bulk bytes, oldest first.
            var assigned: [Assigned] = []
            /// Seconds of a round trip to it.
            var latency = 0.0
            /// Speed of its slots, as it states it, in a unit that all systems share; nil if it states none.
            var speed: Double?
            /// What it reads by references, as far as is known.
            var reading = ReadableBytes()
            /// The processors that it may use; nil if unknown.
            var processors: ProcessorShare?
            /// Order of the last reservation or release: the member with the smallest has been idle longest.
            var touched: UInt64 = 0

            /// Most attempts in flight now: of the local system the slots and its short queue. After a fault no attempt
            /// waits there for a slot until the system has succeeded again: if it keeps failing, each return costs one
            /// attempt per slot, not as many as its depth allows.
            package var depth: Int {
                if backOff.faults > 0 { return slots }
                return isLocal ? maxDepth : min(maxDepth, slots + throughput.prefetch(slots: slots, latency: latency))
            }

            /// Room for an attempt that takes one slot: up to the depth with prefetching, else up to the slots; none
            /// beside a suspect. Nothing waits at a system beside a task of several slots: it would run there at once.
            func hasRoom(prefetching: Bool) -> Bool {
                (isLocal || suspects == 0)
                    && takenSlots < (prefetching && furtherSlots == 0 ? depth : slots)
            }

            /// Slots that are taken, or that an attempt waits for.
            var takenSlots: Int { inFlight + furtherSlots + abandoned }

            /// Room for an attempt at this task.
            func hasRoom(for request: TaskRequest, prefetching: Bool) -> Bool {
                guard hasRoom(prefetching: prefetching) else { return false }
                guard request.isLarge else { return true }
                let needs = request.needs
                return (needs.slots == 1 || takenSlots + needs.slots <= slots)
                    && (needs.memory == 0 || needs.memory <= (memory ?? 0) - usedMemory - abandonedRoom.memory)
            }

            /// Whether it has what a task needs, though not necessarily now.
            package func suits(_ needs: TaskRequest.Needs) -> Bool {
                needs.slots <= slots && needs.memory <= memory ?? 0 && needs.tags.isSubset(of: tags)
            }

            /// Room for any task.
            func isOpen(prefetching: Bool) -> Bool { !isSpare && hasRoom(prefetching: prefetching) }

            /// Whether tasks may go there, if there is room.
            func isUsable(at now: Instant) -> Bool { abandoned < slots && !backOff.isSetAside(at: now) }

            /// Whether the end of an attempt that began at `start`, without a response, shows that the system is
            /// faulty.
            fileprivate func isFaulty(by code: ScanError.Code, since start: Instant) -> Bool {
                switch code {
                case .systemLost, .disconnected, .refused, .unknownType, .invalidResponse, .bulkMissing, .noSystem: true
                // The thread of a local scan that timed out is lost until it ends; the other threads are sound.
                case .timedOut: !isLocal
                // A system that has returned an output since is slow but works.
                case .overtaken: !isLocal && lastOutput <= start
                case .draining, .cancelled, .bulkUnreadable, .tasksUnreadable, .journal: false
                }
            }
        }

        package internal(set) var members: [Member] = []
        /// Where each member is, by its serial number.
        private var indices: [UInt64: Int] = [:]
        /// Members with a free slot.
        private(set) var idle = MemberPool()
        /// Members with room for an attempt, if only to wait there for a slot.
        private(set) var open = MemberPool()
        /// How many members hold the bytes of a key.
        private var holders: [BulkKey: Int] = [:]
        /// How fast bulk bytes that lie on another system are fetched.
        private(set) var relayPace = BulkPace()
        package internal(set) var sharedLink = SharedLink()
        /// Cost per second of a slot before any was measured.
        package var assumedRate: Double?
        /// Whether other processes can be started for suspects, so that the local system never gets them.
        package var hasSpares = false
        /// Cost of the tasks that follow those that are known, as far as a user of the registry expects them.
        package var expectedWork = 0.0
        /// Where the next search among many members begins.
        var cursor = 0
        /// Memory for the list of the next search; there is a search for each attempt.
        var spare: [Int] = []
        private var departed: [SystemID: BackOff] = [:]
        /// By their names, the counts of systems that have left.
        var gone: [String: TaskCounts] = [:]
        private var serial: UInt64 = 0

        package init() {}

        /// A system became reachable. One that left while it was set aside is still set aside.
        /// - Returns: false if there is a system of that identity already.
        package mutating func join(
            id: SystemID, name: String, slots: Int, depth: Int, isLocal: Bool, tags: Set<String> = [],
            link: BulkLink = BulkLink(), reads: Bool = false, speed: Double? = nil, processors: ProcessorShare? = nil,
            isSpare: Bool = false, memory: Int? = nil
        ) -> Bool {
            guard !members.contains(where: { $0.id == id }) else { return false }
            var member = Member(
                serial: tick(), id: id, name: name, slots: slots, isLocal: isLocal, tags: tags, maxDepth: depth)
            member.backOff = departed.removeValue(forKey: id) ?? BackOff()
            member.link = link
            member.reading = ReadableBytes(isAny: reads)
            member.speed = speed
            member.processors = processors
            member.isSpare = isSpare
            member.memory = memory
            members.append(member)
            indices[member.serial] = members.count - 1
            noteRoom(members.count - 1)
            return true
        }

        /// A system is no longer reachable. Later releases of its reservations are ignored.
        ///
        /// If it was lost with attempts in flight, that is a fault, which counts here: their releases come too late.
        /// - Parameters:
        ///   - id: the system.
        ///   - lost: when its connection broke; nil if it left in order.
        /// - Returns: whether it was there, and until when it is set aside, if that is due to its loss.
        package mutating func leave(_ id: SystemID, lost: Instant? = nil) -> (wasThere: Bool, setAside: Instant?) {
            guard let index = members.firstIndex(where: { $0.id == id }) else { return (false, nil) }
            var setAside: Instant?
            if let lost, members[index].inFlight > 0 {
                setAside = fault(at: index, ofAttemptFrom: members[index].lastStart, now: lost)
            }
            let member = members.remove(at: index)
            for key in member.held.keys { drop(key) }
            keepCounts(of: member, isLost: lost != nil)
            reindex()
            if member.backOff.faults > 0 {
                // At this limit all are dropped: peers must not be able to make the table grow without bound.
                if departed.count >= 1024 { departed = [:] }
                departed[id] = member.backOff
            }
            return (true, setAside)
        }

        /// The room lost to abandoned scans changed.
        package mutating func abandon(_ room: AbandonedRoom, on id: SystemID) {
            guard let index = members.firstIndex(where: { $0.id == id }) else { return }
            members[index].abandonedRoom = room
            noteRoom(index)
        }

        /// An attempt ended.
        /// - Returns: until when its system is set aside, if that is due to this attempt.
        package mutating func release(
            _ reservation: Reservation, as outcome: AttemptOutcome, at now: Instant
        ) -> Instant? {
            if reservation.relayed > 0 { relayPace.end(reservation.relayed, arrived: outcome.isFinished, at: now) }
            guard let index = index(of: reservation) else { return nil }
            defer { noteRoom(index) }
            if reservation.ticket > 0 { endTransfer(of: reservation, at: index, isSent: outcome.isFinished, at: now) }
            members[index].inFlight -= 1
            members[index].counts.end(reservation.tasks, as: outcome)
            if reservation.isSuspect { members[index].suspects -= 1 }
            members[index].furtherSlots -= Int(reservation.furtherSlots)
            members[index].usedMemory -= reservation.memory
            // Sums of floating-point numbers drift; without attempts in flight the sum is reset.
            members[index].inFlightCost =
                members[index].inFlight == 0 ? 0 : members[index].inFlightCost - reservation.cost
            members[index].touched = tick()
            switch outcome {
            case .finished(let seconds):
                members[index].done += 1
                members[index].lastOutput = now
                members[index].throughput.measure(cost: reservation.cost, seconds: seconds)
                members[index].backOff.success(ofAttemptFrom: reservation.start)
                return nil
            case .failed:
                return nil
            case .error(let error):
                guard members[index].isFaulty(by: error.code, since: reservation.start) else { return nil }
                return fault(at: index, ofAttemptFrom: reservation.start, now: now)
            }
        }

        /// The system holds the bytes of an attempt only if all of them were sent.
        private mutating func endTransfer(
            of reservation: Reservation, at index: Int, isSent: Bool, at now: Instant
        ) {
            if isSent { members[index].link.update(reservation.ticket, left: 0, at: now) }
            guard let key = members[index].end(reservation.ticket), members[index].held.remove(key) else { return }
            drop(key)
        }

        /// The index of a reservation's system; nil if it has left.
        func index(of reservation: Reservation) -> Int? {
            // The index rarely changes.
            if reservation.index < members.count, members[reservation.index].serial == reservation.serial {
                return reservation.index
            }
            return indices[reservation.serial]
        }

        /// A task that threw there succeeded elsewhere: a fault of the system, not of the task.
        /// - Returns: until when the system is set aside, if it is.
        package mutating func blame(_ id: SystemID, at now: Instant) -> Instant? {
            guard let index = members.firstIndex(where: { $0.id == id }) else { return nil }
            guard !members[index].backOff.isSetAside(at: now) else { return nil }
            defer { noteRoom(index) }
            return fault(at: index, ofAttemptFrom: now, now: now)
        }

        private mutating func fault(at index: Int, ofAttemptFrom start: Instant, now: Instant) -> Instant? {
            members[index].backOff.fault(ofAttemptFrom: start, at: now) ? members[index].backOff.until : nil
        }

        /// Whether a member is believed to hold the bytes of `key`.
        package func isHeld(_ key: BulkKey) -> Bool { holders[key] != nil }

        /// Whether the member `id` is believed to hold the bytes of `key`.
        package func isHeld(_ key: BulkKey, by id: SystemID) -> Bool {
            members.contains { $0.id == id && $0.held.contains(key) }
        }

        /// The system of this name, which is not the local one, has the bytes of `keys`, or can read them itself.
        package mutating func note(_ keys: some Sequence<BulkKey>, heldBy name: String) {
            guard let index = members.firstIndex(where: { !$0.isLocal && $0.name == name }) else { return }
            for key in keys { hold(key, at: index) }
        }

        /// The system of this name, which is not the local one, cannot read the bulk bytes of references with this
        /// origin.
        package mutating func note(_ origin: [UInt8], lackedBy name: String) {
            guard let index = members.firstIndex(where: { !$0.isLocal && $0.name == name }) else { return }
            members[index].reading.remove(BulkReference.number(of: origin))
        }

        /// - Returns: whether the member is not believed to hold the bytes already.
        @discardableResult
        private mutating func hold(_ key: BulkKey, at index: Int) -> Bool {
            let (isNew, forgotten) = members[index].held.insert(key)
            if isNew { holders[key, default: 0] += 1 }
            if let forgotten { drop(forgotten) }
            return isNew
        }

        private mutating func drop(_ key: BulkKey) {
            holders[key] = holders[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        }

        private mutating func noteRoom(_ index: Int) {
            idle.put(index, isIn: members[index].isOpen(prefetching: false))
            open.put(index, isIn: members[index].isOpen(prefetching: true))
        }

        private mutating func reindex() {
            indices = [:]
            (idle, open) = (MemberPool(), MemberPool())
            for index in members.indices {
                indices[members[index].serial] = index
                noteRoom(index)
            }
        }

        mutating func tick() -> UInt64 {
            serial += 1
            return serial
        }

        mutating func reserve(_ index: Int, for request: TaskRequest, run: RunID, at now: Instant) -> Reservation {
            members[index].inFlight += 1
            members[index].counts.inFlight += request.tasks
            if request.isSuspect { members[index].suspects += 1 }
            let needs = request.isLarge ? request.needs : TaskRequest.Needs()
            members[index].furtherSlots += needs.slots - 1
            members[index].usedMemory += needs.memory
            members[index].inFlightCost += request.cost
            members[index].lastStart = now
            members[index].touched = tick()
            // The bytes that a remote system holds are not sent again.
            var isHeld = false
            if let key = request.key, !members[index].isLocal { isHeld = !hold(key, at: index) }
            let ticket = request.bytes > 0 || request.key != nil ? tick() : 0
            if ticket > 0 {
                let sent = isHeld || members[index].isLocal || members[index].canRead(request) ? 0 : request.bytes
                members[index].begin(ticket, request, keeps: !isHeld, bytes: sent, at: now)
            }
            let relayed = request.isRelayed && !isHeld ? request.bytes : 0
            if relayed > 0 { relayPace.begin(relayed, at: now) }
            noteRoom(index)
            return Reservation(
                system: members[index].id, run: run, serial: members[index].serial, index: index, cost: request.cost,
                tasks: request.tasks, ticket: ticket, relayed: relayed, isSuspect: request.isSuspect,
                furtherSlots: Int32(clamping: needs.slots - 1), memory: needs.memory, start: now)
        }

        /// The first violated invariant; nil if all hold.
        package var contradiction: String? {
            if Set(members.map(\.id)).count != members.count { return "a system is listed twice" }
            for member in members {
                if !(0...max(0, member.inFlight) ~= member.suspects) {
                    return "suspects on \(member.name) are miscounted"
                }
                if member.inFlight < 0 { return "\(member.name) was released too often" }
                if member.furtherSlots < 0
                    || member.furtherSlots > 0 && member.inFlight + member.furtherSlots > member.slots
                {
                    return "slots of \(member.name) are given twice"
                }
                if member.usedMemory < 0 || member.usedMemory > member.memory ?? 0 {
                    return "memory of \(member.name) is given twice"
                }
                if member.inFlight == 0, member.furtherSlots + member.usedMemory != 0 {
                    return "\(member.name) has given room without attempts"
                }
                if member.inFlight > max(member.maxDepth, member.slots) { return "\(member.name) is overbooked" }
                if member.assigned.count > member.inFlight || member.link.transfers.count > member.assigned.count {
                    return "\(member.name) has transfers without attempts"
                }
                if member.inFlight == 0, member.inFlightCost != 0 {
                    return "\(member.name) has a load without attempts"
                }
            }
            for (pool, prefetching) in [(idle, false), (open, true)] {
                let roomy = members.indices.filter { members[$0].isOpen(prefetching: prefetching) }
                if pool.indices.sorted() != roomy { return "the systems with room are not those that are listed" }
            }
            if members.reduce(0, { $0 + $1.held.keys.count }) != holders.values.reduce(0, +) {
                return "holders of bytes are miscounted"
            }
            return nil
        }
    }
}
