/// The systems that are reachable now. Several runs may share them.
public final class Systems: Sendable {
    struct Registry {
        var state = State()
        var systems: [SystemID: ScanSystem] = [:]
        var watches: [RunID: Watch] = [:]
        var lastRun = 0
        /// Systems that will join once they are prepared, so that runs wait for them.
        var joining = 0
        var course = Course()
        /// Nil if this process cannot start others.
        var spares: Spares?
        /// By their keys.
        var peers: [String: Systems.Peer] = [:]
        /// By their names, the addresses of the systems that have joined, also of those that have left.
        var addresses: [String: String] = [:]
        var isClosed = false
    }
    let registry = Locked(Registry())
    /// Bounds the bulk bytes that all runs together have in transit to the systems.
    let bulkBudget: BulkBudget
    let clock: any ScanClock

    /// No systems yet.
    /// - Parameters:
    ///   - clock: measures how long systems are set aside.
    ///   - bulkLimit: most bytes of bulk on their way to remote systems, read but not yet sent; 256 MiB by default.
    ///     A single attempt may exceed it. Local systems are bounded by their slots.
    public init(clock: any ScanClock, bulkLimit: Int = 256 << 20) {
        self.clock = clock
        bulkBudget = BulkBudget(limit: bulkLimit)
    }

    /// Adds a system; waiting runs use it at once.
    /// - Returns: false if there is a system of the same identity already: this one is then not used.
    @discardableResult
    public func join(_ system: ScanSystem) -> Bool {
        let (joined, woken) = registry.withLock { registry in
            let joined = registry.state.join(
                id: system.id, name: system.name, slots: system.slots, depth: system.depth,
                isLocal: system.isLocal, tags: system.tags, link: BulkLink(system.link, at: clock.now),
                reads: system.link.readsReferences, speed: registry.speed(of: system),
                processors: system.processors, isSpare: system.link.isSpare, memory: system.memory)
            guard joined else { return (false, [Waiter]()) }
            registry.systems[system.id] = system
            registry.addresses[system.name] = system.link.address
            return (true, registry.wake())
        }
        guard joined else { return false }
        let noted: @Sendable (AbandonedRoom) -> Void = { [weak self, id = system.id] in
            self?.note(abandoned: $0, on: id)
        }
        system.enter { $0.onAbandoned(noted) }
        for waiter in woken { waiter.resume() }
        return true
    }

    /// Removes a system. Its attempts end when its transport ends them; the system is not closed.
    /// - Parameters:
    ///   - id: the system.
    ///   - isLost: true if its connection broke. If that ended attempts, the system is set aside when it comes back.
    public func leave(_ id: SystemID, isLost: Bool = false) {
        let lost = isLost ? clock.now : nil
        var setAside: Instant?
        change { registry in
            let departure = registry.state.leave(id, lost: lost)
            setAside = departure.setAside
            if departure.wasThere { registry.systems[id] = nil }
            return departure.wasThere
        }
        if let setAside { wakeAll(at: setAside) }
    }

    /// No system will join any more: runs that need one end at once, and so do sequences of progress that wait for a run.
    package func close() {
        change { registry in
            registry.isClosed = true
            return true
        }
        for waiter in registry.withLock({ $0.course.wakeReaders() }) { waiter.resume() }
    }

    /// Whether no system will join any more.
    var isClosed: Bool { registry.withLock { $0.isClosed } }

    /// All systems, in the order of joining.
    public var snapshot: [SystemSnapshot] {
        let now = clock.now
        return registry.withLock { registry in
            registry.state.members.map { member in
                SystemSnapshot(member, processors: registry.systems[member.id]?.processors, at: now)
            }
        }
    }

    /// All systems, in the order of joining. Cheaper than ``snapshot``: nothing is copied.
    var members: [State.Member] { registry.withLock { $0.state.members } }

    /// The registry as it is now, for tests and simulations.
    package var state: State { registry.withLock { $0.state } }

    /// The address of the latest system of this name, which may have left; nil if there was none, or it has none.
    package func address(of name: String) -> String? { registry.withLock { $0.addresses[name] } }

    /// Chooses a task and a system, and takes the room: see ``State/pick(from:excluding:run:prefetching:at:)``.
    func reserve(
        from pending: some RandomAccessCollection<PendingTask>, excluding excluded: Set<SystemID>, run: RunID,
        prefetching: Bool, at now: Instant
    ) -> (offset: Int, reservation: State.Reservation, system: ScanSystem)? {
        registry.withLock { registry in
            guard
                let pick = registry.state.pick(
                    from: pending, excluding: excluded, run: run, prefetching: prefetching, at: now)
            else { return nil }
            guard let system = registry.systems[pick.reservation.system] else {
                preconditionFailure("the registry has every system that it picks")
            }
            return (pick.offset, pick.reservation, system)
        }
    }

    /// An attempt ended: releases its room, and wakes the other runs.
    func release(_ reservation: State.Reservation, as outcome: AttemptOutcome, at now: Instant) {
        var setAside: Instant?
        change(except: reservation.run) { registry in
            setAside = registry.state.release(reservation, as: outcome, at: now)
            return true
        }
        if let setAside { wakeAll(at: setAside) }
    }

    /// A task that threw on `id` succeeded elsewhere.
    func blame(_ id: SystemID) {
        let now = clock.now
        var setAside: Instant?
        change { registry in
            setAside = registry.state.blame(id, at: now)
            return setAside != nil
        }
        if let setAside { wakeAll(at: setAside) }
    }

    /// Whether any system that has what a task of a run needs could run it, now or once it is no longer busy or set aside.
    package func hasSystem(excluding excluded: Set<SystemID>, needs: TaskRequest.Needs = .init()) -> Bool {
        registry.withLock { registry in
            registry.joining > 0
                || registry.state.members.contains { member in
                    member.canGive(needs) && !excluded.contains(member.id) && member.suits(needs)
                }
        }
    }

    /// Whether slots of a system are held by scans that were cancelled, so that it may lack them for a task.
    var hasStuckSystem: Bool {
        registry.withLock { $0.state.members.contains { $0.abandoned > 0 } }
    }

    /// Whether a slot is idle that a run may use.
    func hasIdleSlot(excluding excluded: Set<SystemID>) -> Bool {
        let now = clock.now
        return registry.withLock { $0.state.hasIdleSlot(excluding: excluded, at: now) }
    }

    /// The link to a system made progress. Runs seek a better system if expectations have changed.
    package func note(_ report: State.LinkReport, of id: SystemID) {
        let now = clock.now
        change { $0.state.note(report, of: id, at: now) }
    }

    /// Slots do tasks of so much cost per second before any was measured.
    func assume(costPerSecond: Double) {
        registry.withLock { $0.state.assumedRate = $0.state.assumedRate ?? costPerSecond }
    }

    /// The users of the registry will bring tasks of this cost besides those that they run already. A task may then go to
    /// a system that has it done before all of them are, while other systems have enough to do.
    public func expect(work cost: Double) {
        change { registry in
            registry.state.expectedWork = cost.isFinite ? max(0, cost) : 0
            return true
        }
    }

    /// Chooses a task in flight for an idle system, and takes the room: see
    /// ``State/rescue(among:excluding:run:at:)``.
    func rescue(
        among running: [State.Running], excluding excluded: Set<SystemID>, run: RunID, at now: Instant
    ) -> (rescue: State.Rescue, system: ScanSystem)? {
        registry.withLock { registry in
            guard let rescue = registry.state.rescue(among: running, excluding: excluded, run: run, at: now)
            else { return nil }
            guard let system = registry.systems[rescue.reservation.system] else {
                preconditionFailure("the registry has every system that it picks")
            }
            return (rescue, system)
        }
    }

    /// See ``State/isReceiving(_:at:)``.
    func isReceiving(_ reservation: State.Reservation, at now: Instant) -> Bool {
        registry.withLock { $0.state.isReceiving(reservation, at: now) }
    }

    private func note(abandoned room: AbandonedRoom, on id: SystemID) {
        change { registry in
            registry.state.abandon(room, on: id)
            return true
        }
    }

    private func wakeAll(at instant: Instant) {
        _ = clock.schedule(at: instant) { [weak self] in self?.change { _ in true } }
    }

    /// Changes the registry, then wakes the runs that wait for a change, if there was one.
    func change(except run: RunID? = nil, _ body: (inout Registry) -> Bool) {
        let woken = registry.withLock { registry in
            body(&registry) ? registry.wake(except: run) : []
        }
        for waiter in woken { waiter.resume() }
    }
}
