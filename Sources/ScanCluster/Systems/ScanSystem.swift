/// Something that runs scan tasks: this process, or a node behind a transport. The caller does not see which.
public actor ScanSystem {
    /// Identity of the system's process.
    public nonisolated let id: SystemID
    /// Name for users; unique in a cluster.
    public nonisolated let name: String
    /// Number of tasks that run at the same time.
    public nonisolated let slots: Int
    /// Most attempts that may be in flight: slots and a queue that hides the way there.
    public nonisolated let window: Int
    /// True for the system of this process.
    public nonisolated let isLocal: Bool

    nonisolated let way: Way
    let clock: any ScanClock
    nonisolated let occupancy = LocalOccupancy()
    /// Time-outs of what goes over a transport.
    nonisolated let limits: AttemptLimits
    private nonisolated let executor: (any SerialExecutor)?
    /// Where bulk bytes are read.
    nonisolated let reader: any TaskExecutor
    // An actor that may be given an executor has none of its own, so it borrows that of a private one.
    private nonisolated let spare = SpareExecutor()

    /// How attempts get to the system.
    enum Way: Sendable {
        case threads(ScanThreads)
        case transport(any ScanTransport)
    }

    /// The system of this process, with `slots` scan threads.
    /// - Parameters:
    ///   - slots: number of scan threads, at least 1; fewer are started where the system gives no more.
    ///   - id: identity of this process.
    ///   - name: name for users.
    ///   - niceness: added to the scan threads' nice value (Linux).
    ///   - clock: measures the scans and their time-outs.
    public init(local slots: Int, id: SystemID, name: String, niceness: Int = 0, clock: any ScanClock) {
        let threads = ScanThreads(count: slots, niceness: niceness)
        // What it has, not what was asked for.
        self.init(
            way: .threads(threads), id: id, name: name, slots: threads.count, window: threads.count, clock: clock,
            executor: nil, isLocal: true)
    }

    /// A node behind `transport`.
    /// - Parameters:
    ///   - transport: the way there; owned by the system from now on.
    ///   - id: identity of the node's process.
    ///   - name: the node's name.
    ///   - slots: the node's slots.
    ///   - window: most attempts in flight, which must be within what the node admits; twice the slots if nil.
    ///   - clock: measures time-outs.
    ///   - executor: the transport's executor, on which this actor then runs; its own if nil.
    public init(
        remote transport: any ScanTransport, id: SystemID, name: String, slots: Int, window: Int? = nil,
        clock: any ScanClock, executor: (any SerialExecutor)? = nil
    ) {
        self.init(
            way: .transport(transport), id: id, name: name, slots: slots, window: window ?? 2 * slots, clock: clock,
            executor: executor)
    }

    /// A system behind `transport`, all of it on one executor, so that nothing depends on chance: for simulations.
    /// It passes for the system of this process if `isLocal`.
    package init(
        simulated transport: any ScanTransport, id: SystemID, name: String, slots: Int, window: Int, isLocal: Bool,
        clock: any ScanClock, executor: any SerialExecutor & TaskExecutor
    ) {
        self.init(
            way: .transport(transport), id: id, name: name, slots: slots, window: window, clock: clock,
            executor: executor, isLocal: isLocal, reader: executor)
    }

    private init(
        way: Way, id: SystemID, name: String, slots: Int, window: Int, clock: any ScanClock,
        executor: (any SerialExecutor)?, isLocal: Bool = false, reader: any TaskExecutor = globalConcurrentExecutor
    ) {
        self.way = way
        self.id = id
        self.name = name
        self.slots = slots
        self.window = max(window, slots)
        self.clock = clock
        self.isLocal = isLocal
        self.executor = executor
        self.reader = reader
        limits = AttemptLimits(slots: slots, clock: clock)
    }

    /// The transport, if those who run on `executor` may use it themselves because this actor runs there too.
    nonisolated func transport(on executor: (any TaskExecutor)?) -> (any ScanTransport)? {
        guard case .transport(let transport) = way, let executor, let own = self.executor,
            ObjectIdentifier(executor) == ObjectIdentifier(own)
        else { return nil }
        return transport
    }

    /// The transport's executor, or one of the actor's own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor?.asUnownedSerialExecutor() ?? spare.unownedExecutor
    }

    /// Runs one attempt at `task` to its response.
    ///
    /// The time-out counts from the moment the attempt is handed over, at a remote system from the moment a slot is
    /// free for it; reading the bulk bytes is not part of it. On the local system a scan that timed out keeps its slot
    /// until it ends.
    /// - Parameters:
    ///   - task: the task.
    ///   - attempt: number of the attempt, from 1.
    ///   - bulk: the bytes that travel beside the task.
    ///   - timeout: time the system has to answer; nil for no limit.
    /// - Returns: the output, or the error the task's code threw.
    /// - Throws: ``ScanError`` if the system gave no valid response.
    public func run<Task: ScanTask>(
        _ task: Task, attempt: Int, bulk: BulkSource? = nil, timeout: Duration? = nil
    ) async throws(ScanError) -> TaskResponse<Task> {
        switch way {
        case .threads(let threads):
            try await run(task, attempt: attempt, bulk: bulk, timeout: timeout, on: threads)
        case .transport(let transport):
            try await run(task, attempt: attempt, bulk: bulk, timeout: timeout, over: transport)
        }
    }

    /// Runs `work` on the system's slots, in order and with one wake-up. A system behind a transport skips it, as does one
    /// that was closed.
    package nonisolated func run(_ work: [any ScanWork]) {
        guard case .threads(let threads) = way else { return work.forEach { $0.skip() } }
        threads.submit(work)
    }

    /// The response that an attempt at `task` led to.
    /// - Throws: ``ScanError/Code/invalidResponse`` if it cannot be right.
    nonisolated func response<Task: ScanTask>(
        of result: TaskResponse<Task>.Result, to task: Task, attempt: Int, seconds: Double
    ) throws(ScanError) -> TaskResponse<Task> {
        if case .success(let output) = result {
            do {
                try task.validate(output)
            } catch {
                throw ScanError(.invalidResponse, "sent a result that cannot be right: \(error)", system: name)
            }
        }
        return TaskResponse(id: task.id, result: result, system: name, attempt: attempt, seconds: seconds)
    }

    /// Ends the system: attempts under way end with ``ScanError/Code/systemLost``, running local scans in their time.
    public func close() {
        switch way {
        case .threads(let threads): threads.close()
        case .transport(let transport): transport.close()
        }
    }
}

/// An actor that is only there for its executor.
private actor SpareExecutor {}
