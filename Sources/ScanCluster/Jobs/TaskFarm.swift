/// Runs one job: keeps the ledger, gives tasks to systems with room, and hands their responses to the channel.
///
/// One child of the task group per attempt, and one that awaits changes of the systems. Nothing polls.
struct TaskFarm<Task: ScanTask> {
    /// Tasks that are looked at when one is sought whose bulk bytes a system holds.
    static var lookAhead: Int { 256 }

    typealias AttemptResult = Result<SharedResponse<Task>, ScanError>

    /// How a child of the group ended. Small, since it is copied on its way.
    enum ChildEnd: Sendable {
        indirect case attempt(TaskLedger.AttemptID, on: ScanSystem, AttemptResult, at: Instant)
        case remote(RemoteAttempt<Task>)
        case systemsChanged
    }
    typealias Children = ThrowingTaskGroup<ChildEnd, any Error>

    /// What an open task needs for an attempt.
    struct Work {
        var task: Task
        var cost: Double
        var bulk: BulkSource?
        /// How it last failed.
        var failure: Failure?

        /// An object, since few tasks fail and the others are copied without it.
        final class Failure {
            let reason: String
            /// What the log of the node has to say.
            let log: [String]

            init(reason: String, log: [String]) { (self.reason, self.log) = (reason, log) }
        }
    }

    var tasks: any IteratorProtocol<Task>
    var isExhausted = false
    let bulk: (@Sendable (Task) -> BulkSource?)?
    let observer: (@Sendable (JobEvent) -> Void)?
    let systems: Systems
    let options: ScanCoordinator.Options
    let clock: any ScanClock
    let channel: ResponseChannel<Task>
    /// Whether the response that was sent last took the last room.
    var isChannelFull = false
    let executor: (any TaskExecutor)?

    var ledger: TaskLedger
    /// By the ledger's slots.
    var work: [Work?] = []
    /// Attempts under way that only the job can end, by the ledger's slots. The lists are emptied, not dropped: the next
    /// task of the slot uses their memory.
    var remote: [[RemoteAttempt<Task>]] = []
    /// Systems that cannot run this job's tasks.
    var excluded: Set<SystemID> = []
    var known: [SystemID: String]
    /// What the coordinator's last job knew: who has left since must be told of too.
    let seen: Locked<[SystemID: String]>
    let inspector: (@Sendable (ScanCoordinator.Inspection) -> Void)?
    /// Since when there is no system, with the timer that ends the wait.
    var stranded: (until: Instant, timer: TimerID)?
    var lastCause: String?
    /// Where attempts end, also while the consumer holds this farm up.
    let ends: AttemptEnds
    let attempts = AttemptCancellations()
    var stragglers = StragglerPolicy()
    /// When the next task will be overdue, with the timer that says so; nil while nothing idles.
    var look: (due: Instant, timer: TimerID)?
    let job: Int

    init(
        tasks: any IteratorProtocol<Task>, bulk: (@Sendable (Task) -> BulkSource?)?,
        observer: (@Sendable (JobEvent) -> Void)?,
        systems: Systems, options: ScanCoordinator.Options, clock: any ScanClock, channel: ResponseChannel<Task>,
        executor: (any TaskExecutor)?, seen: Locked<[SystemID: String]>,
        inspector: (@Sendable (ScanCoordinator.Inspection) -> Void)?
    ) {
        self.tasks = tasks
        self.bulk = bulk
        self.observer = observer
        self.systems = systems
        self.options = options
        self.clock = clock
        self.channel = channel
        self.executor = executor
        self.seen = seen
        self.inspector = inspector
        known = seen.withLock { $0 }
        ledger = TaskLedger(limits: .init(attempts: options.maxAttempts, faults: options.maxSystemFaults))
        ends = AttemptEnds(systems: systems, clock: clock)
        job = systems.watch()
    }

    /// Runs the job until every task has its response.
    /// - Returns: why it could not go on, if it could not.
    mutating func run() async -> ScanError? {
        defer {
            systems.unwatch(job)
            if let stranded { clock.cancel(stranded.timer) }
            forgetLook()
        }
        do {
            try await withThrowingTaskGroup(of: ChildEnd.self) { group in
                defer { endRemoteAttempts() }
                awaitChange(in: &group)
                noteSystems(isFirst: true)
                while try advance(in: &group) {
                    try take(try await group.next(), in: &group)
                    if isChannelFull { await channel.room() }
                    isChannelFull = false
                }
                group.cancelAll()
            }
            return nil
        } catch let error as ScanError {
            return error
        } catch {
            return ScanError(.cancelled, "the job was cancelled")
        }
    }

    private mutating func take(_ end: ChildEnd?, in group: inout Children) throws {
        switch end {
        case .remote(let attempt):
            ends.take()
            guard let end = attempt.end else { preconditionFailure("its child waits until it is over") }
            try self.end(attempt.id, on: attempt.system, with: end.result, at: end.at)
        case .attempt(let attempt, let system, let result, let end):
            ends.take()
            try self.end(attempt, on: system, with: result, at: end)
        case .systemsChanged:
            noteSystems()
            awaitChange(in: &group)
        case nil:
            preconditionFailure("one child always awaits a change")
        }
    }

    /// Nobody waits for any task any more.
    private func endRemoteAttempts() {
        for attempt in remote.joined() { attempt.cancel(isOvertaken: false) }
    }

    /// Starts what can be started.
    /// - Returns: false when every task has had its response.
    /// - Throws: `CancellationError`, and ``ScanError/Code/noSystem`` when the wait for a system is over.
    private mutating func advance(in group: inout Children) throws -> Bool {
        try _Concurrency.Task.checkCancellation()
        let now = clock.now
        repeat { pull() } while start(in: &group, at: now)
        hedge(in: &group)
        inspector?(.init(ledger: ledger, excluded: excluded, isHeldUp: isHeldUp))
        if ledger.open == 0 { return false }
        try checkStranded()
        return true
    }

    /// Fills the look-ahead: one task, and others behind it if it may have to wait for a certain system.
    private mutating func pull() {
        while !isExhausted, ledger.pending.count < (ledger.pending.first?.request.isChoosy == true ? Self.lookAhead : 1)
        {
            guard let task = tasks.next() else {
                isExhausted = true
                return
            }
            let source = bulk?(task)
            // A cost that is none must not upset the choice of systems.
            let cost = task.cost.isFinite && task.cost > 0 ? task.cost : 1
            let slot = ledger.add(cost: cost, key: source?.key)
            if slot == work.count {
                work.append(nil)
                remote.append([])
            }
            work[slot] = Work(task: task, cost: cost, bulk: source)
        }
    }

    /// Whether so many responses wait for the consumer that no task is started.
    private var isHeldUp: Bool { ends.count >= options.responseBuffer }

    /// Starts one attempt.
    /// - Returns: false if no pending task can go anywhere.
    private mutating func start(in group: inout Children, at now: Instant) -> Bool {
        guard !isHeldUp,
            let pick = systems.reserve(
                from: ledger.pending, excluding: excluded, job: job, prefetching: true, at: now)
        else { return false }
        forgetLook()
        let attempt = ledger.start(atOffset: pick.offset, on: pick.system.id, at: pick.reservation.start)
        launch(attempt, with: pick.reservation, on: pick.system, in: &group)
        return true
    }

    /// Adds a child for an attempt that the ledger knows.
    mutating func launch(
        _ attempt: TaskLedger.AttemptID, with reservation: SystemsState.Reservation, on system: ScanSystem,
        in group: inout Children
    ) {
        guard let work = work[attempt.slot] else { preconditionFailure("an open task has its work") }
        let (task, source) = (work.task, work.bulk)
        observer?(
            .taskStarted(
                index: attempt.index, system: system.name, attempt: attempt.number, cost: reservation.cost))
        if source == nil, let transport = system.transport(on: executor) {
            let attempt = RemoteAttempt(
                attempt, at: task, on: system, over: transport, with: reservation, timeout: options.timeout,
                endsAt: ends)
            remote[attempt.id.slot].append(attempt)
            group.addAttempt(on: executor) {
                await attempt.wait()
                return .remote(attempt)
            }
            return
        }
        // A local attempt reads its bytes when a slot is free for it; the others are read ahead.
        let bulk = system.isLocal ? source : source.map(systems.bulkBudget.limiting)
        group.addAttempt(on: executor) { [options, ends, attempts] in
            let (result, isOvertaken) = await attempts.run(attempt) {
                await Self.result(of: task, bulk: bulk, attempt: attempt, on: system, timeout: options.timeout)
            }
            let outcome = Self.outcomeForSystem(result, isOvertaken: isOvertaken, isLocal: system.isLocal)
            return .attempt(attempt, on: system, result, at: ends.note(reservation, as: outcome))
        }
    }

    private static func result(
        of task: Task, bulk: BulkSource?, attempt: TaskLedger.AttemptID, on system: ScanSystem, timeout: Duration?
    ) async -> AttemptResult {
        do throws(ScanError) {
            let response = try await system.run(task, attempt: attempt.number, bulk: bulk, timeout: timeout)
            return .success(SharedResponse(response))
        } catch {
            return .failure(error)
        }
    }

    private func awaitChange(in group: inout Children) {
        group.addTask { [systems, job] in
            await systems.change(for: job)
            return .systemsChanged
        }
    }
}

extension ThrowingTaskGroup {
    /// Adds a child that runs at once up to its first suspension, where the platform can do that. Such a child does not
    /// inherit what executor its parent prefers.
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
