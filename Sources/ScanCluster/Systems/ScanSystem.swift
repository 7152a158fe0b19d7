/// Runs scan tasks: on the threads of this process, or on a node behind a transport. The caller does not see which.
public actor ScanSystem {
    /// Identity of the system's process.
    public nonisolated let id: SystemID
    /// Name for users; unique in a cluster.
    public nonisolated let name: String
    /// Number of tasks that run at the same time.
    public nonisolated let slots: Int
    /// Most attempts that may be in flight: the slots, and a queue that hides the network's latency.
    public nonisolated let window: Int
    /// True for the system of this process.
    public nonisolated let isLocal: Bool
    /// The processors of the system's process; nil if unknown.
    public nonisolated let processors: ProcessorShare?

    /// How attempts get to the system.
    nonisolated let transport: any ScanTransport
    /// The same, if it is the one to this process's slots.
    nonisolated let slotTransport: LocalTransport?
    /// Time limits of its attempts.
    nonisolated let timeouts: Timeouts
    /// Guards its attempts; nil if all that happens to them happens on ``executor``.
    nonisolated let lock: Locked<Void>?
    nonisolated let executor: (any SerialExecutor)?
    /// The same, if it runs tasks too.
    nonisolated let taskExecutor: (any TaskExecutor)?
    /// Where bulk bytes are read.
    nonisolated let reader: any TaskExecutor
    // An actor that may be given an executor has none of its own, so it borrows that of a private one.
    private nonisolated let spare = SpareExecutor()

    /// The system of this process, with `slots` scan threads.
    /// - Parameters:
    ///   - slots: number of scan threads, at least 1; fewer are started where the system gives no more.
    ///   - id: identity of this process.
    ///   - name: name for users.
    ///   - niceness: added to the scan threads' nice value (Linux).
    ///   - clock: measures the scans and their time-outs.
    public init(local slots: Int, id: SystemID, name: String, niceness: Int = 0, clock: any ScanClock) {
        let threads = ScanThreads(count: slots, niceness: niceness)
        // The number of threads that it got, not the number asked for.
        let transport = LocalTransport(threads, clock: clock)
        self.init(
            transport: transport, id: id, name: name, slots: threads.count, window: threads.count, clock: clock,
            executor: nil, slotTransport: transport, isLocal: true, processors: .own)
    }

    /// A node behind `transport`.
    /// - Parameters:
    ///   - transport: carries the attempts; owned by the system from now on.
    ///   - id: identity of the node's process.
    ///   - name: the node's name.
    ///   - slots: the node's slots.
    ///   - window: most attempts in flight, which must be within what the node admits; twice the slots if nil.
    ///   - processors: the processors of the node's process; nil if unknown.
    ///   - clock: measures time-outs.
    ///   - executor: the transport's executor, on which this actor then runs and the timers of `clock` fire; the actor's
    ///     own if nil.
    public init(
        remote transport: any ScanTransport, id: SystemID, name: String, slots: Int, window: Int? = nil,
        processors: ProcessorShare? = nil, clock: any ScanClock, executor: (any SerialExecutor)? = nil
    ) {
        self.init(
            transport: transport, id: id, name: name, slots: slots, window: window ?? 2 * slots, clock: clock,
            executor: executor, processors: processors)
    }

    /// A system behind `transport`, all of it on one executor, so that nothing depends on chance: for simulations.
    /// It passes for the system of this process if `isLocal`.
    package init(
        simulated transport: any ScanTransport, id: SystemID, name: String, slots: Int, window: Int, isLocal: Bool,
        clock: any ScanClock, executor: any SerialExecutor & TaskExecutor
    ) {
        self.init(
            transport: transport, id: id, name: name, slots: slots, window: window, clock: clock,
            executor: executor, isLocal: isLocal, reader: executor)
    }

    private init(
        transport: any ScanTransport, id: SystemID, name: String, slots: Int, window: Int, clock: any ScanClock,
        executor: (any SerialExecutor)?, slotTransport: LocalTransport? = nil, isLocal: Bool = false,
        processors: ProcessorShare? = nil, reader: any TaskExecutor = globalConcurrentExecutor
    ) {
        self.transport = transport
        self.slotTransport = slotTransport
        self.id = id
        self.name = name
        self.slots = slots
        self.window = max(window, slots)
        self.isLocal = isLocal
        self.processors = processors
        self.executor = executor
        taskExecutor = executor as? any TaskExecutor
        self.reader = reader
        timeouts = Timeouts(slots: slots, clock: clock)
        lock = executor == nil ? Locked(()) : nil
    }

    /// The transport's executor, or one of the actor's own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor?.asUnownedSerialExecutor() ?? spare.unownedExecutor
    }

    /// Runs `work` on the system's slots, in order and with one wake-up. A system behind a transport skips it, as does one
    /// that was closed.
    package nonisolated func run(_ work: [any ScanWork]) {
        guard let slotTransport else { return work.forEach { $0.skip() } }
        slotTransport.threads.submit(work)
    }

    /// Ends the slots of this process: work that waits is skipped at once, work that runs ends in its time.
    package nonisolated func closeSlots() { slotTransport?.close() }

    /// Ends the system: attempts under way end with ``ScanError/Code/systemLost``, running local scans in their time.
    public func close() { transport.close() }
}

/// An actor that serves only as an executor.
private actor SpareExecutor {}
