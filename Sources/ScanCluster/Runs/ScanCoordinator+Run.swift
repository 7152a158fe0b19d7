extension ScanCoordinator {
    /// Carries out one run: starts tasks on systems with room, and sends their responses to the channel. ``RunState``
    /// decides.
    ///
    /// The task group has one child per attempt, and one that awaits changes of the systems. Nothing polls.
    struct Run<Work: ScanTask> {
        /// The attempt that has ended; nil if the systems changed.
        typealias Children = ThrowingTaskGroup<ScanSystem.Attempt<Work>?, any Error>

        /// What a task needs for an attempt.
        struct OpenTask {
            var task: Work
            var bulk: BulkSource?
            /// Attempts under way. The list is emptied, not dropped: the next task of the entry uses its memory.
            var attempts: [ScanSystem.Attempt<Work>] = []
        }

        var tasks: any IteratorProtocol<Work>
        let bulk: (@Sendable (Work) -> BulkSource?)?
        let observer: (@Sendable (TaskEvent) -> Void)?
        let systems: Systems
        /// Its settings, if it serves another kind of run.
        var traits = RunTraits() {
            didSet { if let onReport = traits.onReport { shared.withLock { $0.report = onReport } } }
        }
        let options: Options
        let clock: any ScanClock
        let channel: TaskResponses<Work>.Channel
        /// Whether the last response has filled the channel.
        var isChannelFull = false
        let executor: (any TaskExecutor)?
        /// The systems that the coordinator's previous run knew: those that have left since are reported too.
        let seen: Locked<[SystemID: String]>
        let timeout: TimeLimit?
        let inspector: (@Sendable (Inspection) -> Void)?

        /// The tasks that arrive while the run goes on; nil if all are there.
        var stream: TaskStream<Work>? {
            didSet {
                state.looksAhead = stream != nil
                stream?.onArrival { [systems, id] in systems.poke(id) }
            }
        }

        var state: RunState
        /// By the ledger's entries; elements of tasks that are done are out of date.
        var open: [OpenTask] = []
        /// The timer of ``RunState/wakeUp``.
        var wakeUp: (due: Instant, timer: TimerID)?
        let shared: Locked<ScanSystem.Attempt<Work>.Shared>
        let id: RunID
        /// Whether its tasks are chunks of tasks.
        let isChunked = Work.self is any TaskGrouping.Type

        /// A run of a coordinator, which begins when ``run()`` is called.
        init(
            of coordinator: ScanCoordinator, _ tasks: any IteratorProtocol<Work>,
            bulk: (@Sendable (Work) -> BulkSource?)?, observer: (@Sendable (TaskEvent) -> Void)?,
            channel: TaskResponses<Work>.Channel
        ) {
            self.tasks = tasks
            self.bulk = bulk
            self.observer = observer
            shared = Locked(.init(report: observer.map(TaskEvent.reports(to:))))
            (systems, options, clock) = (coordinator.systems, coordinator.options, coordinator.clock)
            (executor, seen, inspector) = (coordinator.executor, coordinator.seen, coordinator.inspector)
            self.channel = channel
            timeout = TimeLimit(fixed: options.timeout, adaptive: options.adaptiveTimeout, pace: coordinator.pace)
            state = RunState(options: options, known: seen.withLock { $0 })
            if let rate = Work.assumedCostPerSecond { systems.assume(costPerSecond: rate) }
            systems.beginRun()
            id = systems.watch()
        }

        /// Runs until every task has its response.
        /// - Returns: why it ended early; nil if it did not.
        mutating func run() async -> ScanError? {
            defer {
                systems.unwatch(id)
                systems.endRun()
                if let wakeUp { clock.cancel(wakeUp.timer) }
            }
            do {
                try await withThrowingTaskGroup(of: ScanSystem.Attempt<Work>?.self) { group in
                    defer { cancelAttempts() }
                    awaitChange(in: &group)
                    noteSystems(isFirst: true)
                    while try advance(in: &group) {
                        if state.isGivingUp {
                            giveUpTask()
                        } else {
                            try await handleNext(in: &group)
                        }
                        if isChannelFull { await channel.room() }
                        isChannelFull = false
                    }
                    group.cancelAll()
                }
                return nil
            } catch let error as ScanError {
                return error
            } catch {
                return ScanError(.cancelled, "the run was cancelled")
            }
        }

        private var isHeldUp: Bool { state.isHeldUp(by: shared.withLock { $0.unseen }) }

        /// Waits until an attempt has ended or the systems have changed, and handles that.
        private mutating func handleNext(in group: inout Children) async throws {
            guard let next = try await group.next() else {
                preconditionFailure("one child always awaits a change")
            }
            if let attempt = next {
                shared.withLock { $0.unseen -= 1 }
                try end(attempt)
            } else {
                noteSystems()
                awaitChange(in: &group)
            }
        }

        /// Cancels the attempts under way, of all systems or of one.
        func cancelAttempts(on system: SystemID? = nil) {
            for task in open {
                for attempt in task.attempts where system == nil || attempt.system.id == system {
                    attempt.cancel()
                }
            }
        }

        /// Starts every attempt that can start now.
        /// - Returns: false when every task has its response.
        /// - Throws: `CancellationError`, and ``ScanError/Code/noSystem`` when the wait for a system is over.
        private mutating func advance(in group: inout Children) throws -> Bool {
            try Task.checkCancellation()
            let now = clock.now
            state.passes(now)
            repeat {
                repeat { pull() } while start(in: &group, at: now)
                // A system that gets a task as well holds its bytes then: others may have waited for that.
            } while hedge(in: &group, at: now) || rescue(in: &group, at: now)
            noteIdle(at: now)
            if state.hasLosses { systems.requestSpares(for: state.ledger.pending, on: executor) }
            if let error = stream?.error { throw error }
            inspector?(.init(state: state, isHeldUp: isHeldUp))
            if state.isDone { return false }
            if state.ledger.inFlight == 0, systems.isClosed { throw ScanError(.noSystem, "the farm is closed") }
            let error = state.checkOrphaned(
                hasSystem: { [systems] in systems.hasSystem(excluding: $0, needs: $1) },
                hasStuckSystem: { [systems] in systems.hasStuckSystem }, at: now)
            if let error { throw error }
            if state.wakeUp != wakeUp?.due { setTimer() }
            return true
        }

        private mutating func setTimer() {
            if let wakeUp { clock.cancel(wakeUp.timer) }
            wakeUp = state.wakeUp.map { due in (due, clock.schedule(at: due) { [systems, id] in systems.poke(id) }) }
        }

        private mutating func pull() {
            while state.wantsTask {
                guard let task = tasks.next() else {
                    // The stream may give more tasks later.
                    if let stream, !stream.isDone { return state.starves() }
                    return state.exhausted()
                }
                let source = bulk?(task)
                var request = TaskRequest(task, source: source)
                if let failed = traits.failures?.popFirst() { request.retry(after: failed) }
                if isChunked, let chunk = task as? any TaskGrouping { request.tasks = chunk.count }
                let entry = state.pulled(request)
                if entry == open.count {
                    open.append(OpenTask(task: task, bulk: source))
                } else {
                    open[entry].task = task
                    open[entry].bulk = source
                }
            }
        }

        /// Starts one attempt.
        /// - Returns: false if no pending task can go anywhere.
        private mutating func start(in group: inout Children, at now: Instant) -> Bool {
            guard !isHeldUp,
                let pick = systems.reserve(
                    from: state.ledger.pending, excluding: state.excluded, run: id, prefetching: true, at: now)
            else { return false }
            let attempt = state.started(atOffset: pick.offset, on: pick.system.id, at: pick.reservation.start)
            launch(attempt, with: pick.reservation, on: pick.system, in: &group)
            return true
        }

        /// Gives tasks that run longer than expected to idle systems as well.
        /// - Returns: whether there was one.
        private mutating func hedge(in group: inout Children, at now: Instant) -> Bool {
            var hasHedged = false
            let found = state.overdue(
                isHeldUp: isHeldUp, hasIdleSlot: { [systems] in systems.hasIdleSlot(excluding: $0) },
                at: now)
            for overdue in found {
                guard let (request, _, useless) = state.ledger.request(besides: overdue),
                    open[overdue.entry].attempts.last?.reservation.map({ systems.isReceiving($0, at: now) }) != true
                else { continue }
                let only = [PendingTask(entry: overdue.entry, request: request)]
                guard
                    let pick = systems.reserve(
                        from: only, excluding: state.excluded.union(useless), run: id, prefetching: false, at: now),
                    let (attempt, event) = state.hedged(
                        overdue, on: pick.system.id, pick.system.name, at: pick.reservation.start)
                else { continue }
                launch(attempt, with: pick.reservation, on: pick.system, in: &group)
                observer?(event)
                hasHedged = true
            }
            return hasHedged
        }

        /// Gives one task in flight to an idle system that would have it done sooner.
        /// - Returns: whether there was one.
        private mutating func rescue(in group: inout Children, at now: Instant) -> Bool {
            guard state.mayRescue(isHeldUp: isHeldUp, at: now),
                systems.hasIdleSlot(excluding: state.excluded)
            else { return false }
            var ids: [ScanSystem.AttemptID] = []
            var running: [Systems.State.Running] = []
            for (attempt, request, earlier) in state.ledger.single.prefix(Systems.State.mostCompared) {
                guard let reservation = open[attempt.entry].attempts.first?.reservation else { continue }
                ids.append(attempt)
                running.append(.init(request: request, reservation: reservation, earlier: earlier))
            }
            guard let (rescue, system) = systems.rescue(among: running, excluding: state.excluded, run: id, at: now)
            else { return false }
            let slow = ids[rescue.offset]
            let step =
                rescue.recalls
                ? state.recalled(slow, to: system.id, system.name, at: now)
                : state.hedged(slow, on: system.id, system.name, at: now)
            guard let (attempt, event) = step else {
                preconditionFailure("the ledger knows the attempts in flight")
            }
            if rescue.recalls {
                for old in open[slow.entry].attempts { old.cancel() }
                open[slow.entry].attempts.removeAll(keepingCapacity: true)
            }
            launch(attempt, with: rescue.reservation, on: system, in: &group)
            observer?(event)
            return true
        }

        /// Sets the time of the next comparison if a slot idles although tasks are open.
        private mutating func noteIdle(at now: Instant) {
            // Another run that takes room may change which system a task waits for, and wakes nobody.
            let isOpen =
                state.hasPulledAll && state.ledger.inFlight > 0 || state.ledger.pending.first?.request.isChoosy == true
            if isOpen, systems.hasIdleSlot(excluding: state.excluded) { state.idles(at: now) } else { state.isBusy() }
        }

        /// Adds a child for an attempt that the ledger knows.
        private mutating func launch(
            _ id: ScanSystem.AttemptID, with reservation: Systems.State.Reservation, on system: ScanSystem,
            in group: inout Children
        ) {
            observer?(.taskStarted(index: id.index, system: system.name, attempt: id.number, cost: reservation.cost))
            var bulk = open[id.entry].bulk
            // A local attempt starts when a slot is free for it; the bytes of others are read ahead, within the budget.
            if !system.isLocal { bulk = bulk.map(systems.bulkBudget.limiting) }
            let attempt = ScanSystem.Attempt(
                id.number, at: open[id.entry].task, on: system, bulk: bulk, timeout: timeout,
                booking: .init(id: id, reservation: reservation, systems: systems, shared: shared))
            open[id.entry].attempts.append(attempt)
            if let executor, system.isServed(by: executor) {
                // The system's executor runs this function, too: no hop is needed.
                system.here(attempt) { $0.begin(on: $1) }
                group.addAttempt(on: executor) {
                    await attempt.wait()
                    return attempt
                }
            } else {
                group.addAttempt(on: executor) {
                    await system.run(attempt)
                    return attempt
                }
            }
        }

        private func awaitChange(in group: inout Children) {
            group.addTask { [systems, id] in
                await systems.change(for: id)
                return nil
            }
        }
    }
}

extension ThrowingTaskGroup {
    /// Adds a child that runs at once up to its first suspension, where the platform supports that. Such a child does
    /// not inherit its parent's executor preference.
    fileprivate mutating func addAttempt(
        on executor: (any TaskExecutor)?,
        _ operation: sending @escaping @isolated(any) () async throws -> ChildTaskResult
    ) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            addImmediateTask(executorPreference: executor, operation: operation)
        } else {
            addTask(executorPreference: executor, operation: operation)
        }
    }
}
