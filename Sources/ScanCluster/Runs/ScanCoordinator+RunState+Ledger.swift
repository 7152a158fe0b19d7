extension ScanCoordinator.RunState {
    /// The table of the states of a run's tasks: pending, in flight, done. A task commits exactly once.
    ///
    /// Of tasks that are done only a count remains. Every operation takes constant time, and several attempts at a task
    /// may be in flight.
    package struct Ledger: Sendable {
        /// How often a task may fail before it is given up.
        package struct Limits: Equatable, Sendable {
            /// Attempts that threw or timed out.
            package var attempts: Int
            /// Attempts that ended with a fault of their system.
            package var faults: Int

            /// Limits; at least 1 each.
            package init(attempts: Int, faults: Int) {
                self.attempts = Swift.max(1, attempts)
                self.faults = Swift.max(1, faults)
            }
        }

        /// What the end of an attempt means for its task.
        package enum Effect: Equatable, Sendable {
            /// The task has its output.
            case succeeded
            /// The task's code threw, or took too long.
            case failed
            /// The system, or the connection to it, failed.
            case systemFault
            /// The process of the system ended, or so it seems, while it ran the task, which may be the cause.
            case processLost
            /// The system did not accept the task. Not counted as an attempt.
            case refused
        }

        /// What follows from the end of an attempt.
        package enum Verdict: Equatable, Sendable {
            /// The attempt is no longer known: drop it.
            case ignored
            /// The task is done. Cancel the other attempts; the blamed systems failed a task that another system did.
            case committed(others: [ScanSystem.AttemptID], blamed: [SystemID])
            /// The task waits for a system again.
            case retried
            /// Another attempt is still in flight.
            case awaited
            /// The task is given up.
            case failed
        }

        /// A task in flight, as far as a hedge depends on it.
        package struct Running: Equatable, Sendable {
            package let newest: ScanSystem.AttemptID
            package let attempts: Int
            /// The work that is expected, in the units of `ScanTask.cost`.
            package let cost: Double
        }

        private struct Entry: Sendable {
            enum Phase { case free, pending, running }
            var phase = Phase.free
            var index = 0
            var request = TaskRequest(cost: 0)
            var running: [(attempt: ScanSystem.AttemptID, system: SystemID)] = []
            var threwOn: [SystemID] = []
            /// Systems whose processes ended while they ran the task.
            var lost: [SystemID] = []
            var numbered = 0
            var started = 0
            var failures = 0
            var faults = 0
            /// Whether it is given up when its last attempt ends without an output.
            var isFinal = false

            mutating func run(_ entry: Int, on system: SystemID, at now: Instant) -> ScanSystem.AttemptID {
                phase = .running
                numbered += 1
                started += 1
                let attempt = ScanSystem.AttemptID(
                    entry: entry, index: index, number: numbered, start: now, serial: started)
                running.append((attempt, system))
                return attempt
            }

            /// Clears the entry, except what the next task replaces. Keeps the memory of its list for that task.
            mutating func clear() {
                phase = .free
                running.removeAll(keepingCapacity: true)
                if !threwOn.isEmpty { threwOn = [] }
                if !lost.isEmpty { lost = [] }
                (numbered, started, failures, faults, isFinal) = (0, 0, 0, 0, false)
            }
        }

        /// Processes that may end with a task before it is given up.
        package static let lossLimit = 2

        private let limits: Limits
        private var entries: [Entry] = []
        private var free: [Int] = []
        /// Tasks that wait, most urgent first.
        package private(set) var pending = Pending()
        /// Number of attempts that have not ended.
        package private(set) var inFlight = 0
        /// Tasks that entered the ledger.
        package private(set) var added = 0
        /// Tasks that were committed.
        package private(set) var committed = 0
        /// Tasks that were given up.
        package private(set) var failed = 0

        package init(limits: Limits) { self.limits = limits }

        /// Tasks that are neither committed nor given up.
        package var open: Int { added - committed - failed }

        /// Tasks in flight that may be hedged, in the order of their entries. A suspect could end two processes at
        /// once.
        package var running: some Sequence<Running> {
            entries.lazy.compactMap { entry in
                guard entry.lost.isEmpty, let last = entry.running.last else { return nil }
                return Running(newest: last.attempt, attempts: entry.running.count, cost: entry.request.cost)
            }
        }

        /// The attempts under way on a system.
        package func attempts(on system: SystemID) -> [ScanSystem.AttemptID] {
            entries.flatMap { $0.running.filter { $0.system == system }.map(\.attempt) }
        }

        /// Whether a process has ended while it ran the task of an attempt in flight.
        package func isSuspect(_ attempt: ScanSystem.AttemptID) -> Bool { entries[attempt.entry].request.isSuspect }

        /// A process that seemed to have ended runs: no task has ended it.
        package mutating func exonerate(by system: SystemID) {
            for entry in entries.indices where entries[entry].lost.contains(system) {
                entries[entry].lost.removeAll { $0 == system }
                guard entries[entry].lost.isEmpty else { continue }
                entries[entry].request.isSuspect = false
                pending.change(PendingTask(entry: entry, request: entries[entry].request))
            }
        }

        /// Adds a task, which waits behind the others.
        /// - Returns: the task's entry until it is done.
        package mutating func add(_ request: TaskRequest) -> Int {
            let entry = free.popLast() ?? entries.count
            if entry == entries.count { entries.append(Entry()) }
            entries[entry].phase = .pending
            entries[entry].index = added
            entries[entry].request = request
            added += 1
            pending.append(PendingTask(entry: entry, request: entries[entry].request))
            return entry
        }

        /// The task `offset` places behind the most urgent one goes to `system`.
        package mutating func start(
            atOffset offset: Int, on system: SystemID, at now: Instant
        ) -> ScanSystem.AttemptID {
            let entry = pending.remove(atOffset: offset).entry
            return run(entry, on: system, at: now)
        }

        /// The most urgent task is given up. Only while one waits.
        /// - Returns: its entry until now, its place in the run, the attempts at it that count, and its cost.
        package mutating func giveUpFirst() -> (entry: Int, index: Int, attempts: Int, cost: Double) {
            let entry = pending.remove(atOffset: 0).entry
            failed += 1
            defer { clear(entry) }
            return (entry, entries[entry].index, entries[entry].numbered, entries[entry].request.cost)
        }

        /// What another attempt at a task in flight asks for.
        /// - Returns: nil if the attempt is no longer known; else also the attempt's system, and the systems that are
        ///   of no use because they run the task or failed it.
        package func request(
            besides attempt: ScanSystem.AttemptID
        ) -> (TaskRequest, system: SystemID, useless: [SystemID])? {
            guard let position = find(attempt) else { return nil }
            let task = entries[attempt.entry]
            return (
                task.request, task.running[position].system, task.running.map(\.system) + task.request.avoiding
            )
        }

        /// How the task of an entry is tried again; nil if as the limits say.
        package func retryPolicy(of entry: Int) -> RetryPolicy? {
            entries.indices.contains(entry) ? entries[entry].request.retryPolicy : nil
        }

        /// When the next task may start that waits for a time after `now`; nil if none does.
        package func nextStart(after now: Instant) -> Instant? {
            pending.lazy.compactMap(\.request.notBefore).filter { $0 > now }.min()
        }

        /// Expected work of the task of an entry.
        package func cost(of entry: Int) -> Double { entries[entry].request.cost }

        /// A task in flight goes to `system` as well: the first output counts.
        /// - Returns: nil if the attempt is no longer known.
        package mutating func hedge(
            _ attempt: ScanSystem.AttemptID, on system: SystemID, at now: Instant
        ) -> ScanSystem.AttemptID? {
            find(attempt) == nil ? nil : run(attempt.entry, on: system, at: now)
        }

        /// A task in flight goes to `system` instead: the attempt is forgotten, and does not count.
        /// - Returns: nil if the attempt is no longer known.
        package mutating func move(
            _ attempt: ScanSystem.AttemptID, to system: SystemID, at now: Instant
        ) -> ScanSystem.AttemptID? {
            guard let position = find(attempt) else { return nil }
            entries[attempt.entry].running.remove(at: position)
            entries[attempt.entry].numbered -= 1
            inFlight -= 1
            return run(attempt.entry, on: system, at: now)
        }

        /// Of the tasks in flight with one attempt, the attempt, what it asks for, and how many there were before.
        package var single: some Sequence<(attempt: ScanSystem.AttemptID, request: TaskRequest, earlier: Int)> {
            entries.lazy.compactMap { entry in
                guard entry.running.count == 1, entry.lost.isEmpty, let only = entry.running.first else { return nil }
                return (only.attempt, entry.request, entry.started - 1)
            }
        }

        private mutating func run(_ entry: Int, on system: SystemID, at now: Instant) -> ScanSystem.AttemptID {
            inFlight += 1
            return entries[entry].run(entry, on: system, at: now)
        }

        /// The place of an attempt in flight among those of its task.
        private func find(_ attempt: ScanSystem.AttemptID) -> Int? {
            guard entries.indices.contains(attempt.entry), entries[attempt.entry].index == attempt.index else {
                return nil
            }
            return entries[attempt.entry].running.firstIndex { $0.attempt == attempt }
        }

        /// An attempt ended at `now`. `isFinal`: its task is not tried again, unless another attempt is under way.
        package mutating func end(
            _ attempt: ScanSystem.AttemptID, as effect: Effect, isFinal: Bool = false,
            at now: Instant = Instant(nanoseconds: 0)
        ) -> Verdict {
            let entry = attempt.entry
            guard let position = find(attempt) else { return .ignored }
            let system = entries[entry].running.remove(at: position).system
            inFlight -= 1
            switch effect {
            case .succeeded:
                return commit(entry, on: system)
            case .failed:
                entries[entry].failures += 1
                entries[entry].threwOn.append(system)
                avoid(system, for: entry)
            case .systemFault, .processLost:
                entries[entry].faults += 1
                avoid(system, for: entry)
                if effect == .processLost {
                    entries[entry].lost.append(system)
                    entries[entry].request.isSuspect = true
                }
            case .refused:
                entries[entry].numbered -= 1
            }
            if isFinal { entries[entry].isFinal = true }
            guard entries[entry].running.isEmpty else { return .awaited }
            let policy = entries[entry].request.retryPolicy
            if entries[entry].isFinal || entries[entry].failures >= policy?.attempts ?? limits.attempts
                || entries[entry].faults >= limits.faults
                || entries[entry].lost.count >= Self.lossLimit
            {
                failed += 1
                clear(entry)
                return .failed
            }
            if effect == .failed, let policy, policy.backOff > .zero {
                entries[entry].request.notBefore = now.advanced(by: policy.wait(afterFailures: entries[entry].failures))
            }
            entries[entry].phase = .pending
            let task = PendingTask(entry: entry, request: entries[entry].request)
            if task.request.isSuspect { pending.append(task) } else { pending.prepend(task) }
            return .retried
        }

        private mutating func commit(_ entry: Int, on system: SystemID) -> Verdict {
            let others = entries[entry].running.map(\.attempt)
            let blamed = entries[entry].threwOn.filter { $0 != system }
            inFlight -= others.count
            committed += 1
            clear(entry)
            return .committed(others: others, blamed: blamed)
        }

        private mutating func avoid(_ system: SystemID, for entry: Int) {
            entries[entry].request.placement = .localFirst
            if !entries[entry].request.avoiding.contains(system) { entries[entry].request.avoiding.append(system) }
        }

        private mutating func clear(_ entry: Int) {
            entries[entry].clear()
            free.append(entry)
        }

        /// The first violated invariant; nil if all hold.
        package var contradiction: String? {
            let waiting = pending.map(\.entry)
            let isSound: [(String, Bool)] = [
                ("a task waits twice", Set(waiting).count == waiting.count),
                ("a task waits that is not pending", waiting.allSatisfy { entries[$0].phase == .pending }),
                (
                    "a suspect waits before other tasks",
                    zip(pending, pending.dropFirst()).allSatisfy { !$0.request.isSuspect || $1.request.isSuspect }
                ),
                (
                    "suspects are miscounted",
                    entries.allSatisfy { $0.request.isSuspect == !$0.lost.isEmpty || $0.phase == .free }
                ),
                ("a pending task was lost", entries.count { $0.phase == .pending } == waiting.count),
                ("attempts in flight are miscounted", entries.reduce(0) { $0 + $1.running.count } == inFlight),
                (
                    "a task runs without an attempt",
                    entries.allSatisfy { ($0.phase == .running) == !$0.running.isEmpty }
                ),
                ("an entry is free twice", Set(free).count == free.count),
                ("a task was lost or committed twice", entries.count - free.count == open),
            ]
            return isSound.first { !$0.1 }?.0
        }
    }
}
