/// Runs scan tasks: on the threads of this process, or on a node behind a transport. Callers use both in the same way.
public actor ScanSystem {
    /// Identity of the system's process.
    public nonisolated let id: SystemID
    /// Name for users; unique in a cluster.
    public nonisolated let name: String
    /// Number of tasks that run at the same time.
    public nonisolated let slots: Int
    /// Most attempts that may be in flight: the slots, and a queue that hides the network's latency.
    public nonisolated let depth: Int
    /// True for the system of this process.
    public nonisolated let isLocal: Bool
    /// What it has that tasks may need, in its owner's words: see ``ScanTask/requiredTags``.
    public nonisolated let tags: Set<String>
    /// The processors of the system's process; nil if unknown.
    public nonisolated let processors: ProcessorShare?

    /// What is known of the way to it before it is used.
    public struct Link: Equatable, Sendable {
        /// Bytes per second; 1 Gbit/s by default.
        public var nominalRate = BulkLink.nominalRate
        /// Whether the system reads bulk bytes from its own files by a ``BulkReference``.
        public var readsReferences = false
        /// Bytes that the transport sends to measure the link before any others; 0 for none.
        package var probeCount = 0
        /// Whether it is a process of this machine that was started for tasks with which another one has ended, and gets no
        /// others.
        package var isSpare = false
        /// Speed of the system's slots, see ``SlotSpeed``; nil if unknown.
        public var speed: Double?

        /// The default: an ordinary network, and a system that reads no files.
        public init() {}
    }

    /// The way to it.
    nonisolated let link: Link
    /// Carries attempts to the system.
    nonisolated let transport: any ScanTransport
    /// The transport, if it is that of this process's slots.
    nonisolated let slotTransport: LocalTransport?
    /// Time limits of its attempts.
    nonisolated let timeouts: Timeouts
    /// Guards its attempts; nil if they are used only on ``executor``.
    nonisolated let lock: Locked<Void>?
    nonisolated let executor: (any SerialExecutor)?
    /// The executor, if it is also a task executor.
    nonisolated let taskExecutor: (any TaskExecutor)?
    /// Where bulk bytes are read.
    nonisolated let reader: any TaskExecutor
    // An actor that defines `unownedExecutor` has no default executor, so that of another actor is used.
    private nonisolated let spare = SpareExecutor()

    /// The system of this process, with `slots` scan threads.
    /// - Parameters:
    ///   - slots: number of scan threads, at least 1; fewer are started if the system allows no more.
    ///   - id: identity of this process.
    ///   - name: name for users.
    ///   - niceness: added to the scan threads' nice value (Linux).
    ///   - queue: most tasks that wait for a slot, with their bytes, so that a slot which becomes free has work at once;
    ///     0 leaves as many tasks as possible to other systems.
    ///   - unpacker: unpacks bulk bytes on the scan threads; nil: they are not packed.
    ///   - tags: what it has that tasks may need.
    ///   - clock: measures the scans and their time-outs.
    public init(
        local slots: Int, id: SystemID, name: String, niceness: Int = 0, queue: Int = 0,
        unpacker: (any BulkUnpacker)? = nil, tags: Set<String> = [], clock: any ScanClock
    ) {
        let threads = ScanThreads(count: slots, niceness: niceness)
        // `threads.count`, not `slots`: fewer threads may have been started.
        let transport = LocalTransport(threads, clock: clock, unpacker: unpacker)
        self.init(
            transport: transport, id: id, name: name, slots: threads.count, depth: threads.count + queue,
            clock: clock, executor: nil, slotTransport: transport, isLocal: true, tags: tags, processors: .own)
    }

    /// A node behind `transport`.
    /// - Parameters:
    ///   - transport: carries the attempts; owned by the system from now on.
    ///   - id: identity of the node's process.
    ///   - name: the node's name.
    ///   - slots: the node's slots.
    ///   - depth: most attempts in flight, which must be within what the node admits; twice the slots if nil.
    ///   - tags: what the node has that tasks may need.
    ///   - processors: the processors of the node's process; nil if unknown.
    ///   - link: what is known of the way to it.
    ///   - clock: measures time-outs.
    ///   - executor: the transport's executor, on which this actor then runs and the timers of `clock` fire; a private
    ///     one if nil.
    public init(
        remote transport: any ScanTransport, id: SystemID, name: String, slots: Int, depth: Int? = nil,
        tags: Set<String> = [], processors: ProcessorShare? = nil, link: Link = Link(), clock: any ScanClock,
        executor: (any SerialExecutor)? = nil
    ) {
        self.init(
            transport: transport, id: id, name: name, slots: slots, depth: depth ?? 2 * slots, clock: clock,
            executor: executor, tags: tags, processors: processors, link: link)
    }

    /// A system behind `transport` that runs on one executor only, so that it is deterministic: for simulations.
    /// It counts as the system of this process if `isLocal`.
    package init(
        simulated transport: any ScanTransport, id: SystemID, name: String, slots: Int, depth: Int, isLocal: Bool,
        clock: any ScanClock, executor: any SerialExecutor & TaskExecutor
    ) {
        self.init(
            transport: transport, id: id, name: name, slots: slots, depth: depth, clock: clock,
            executor: executor, isLocal: isLocal, reader: executor)
    }

    private init(
        transport: any ScanTransport, id: SystemID, name: String, slots: Int, depth: Int, clock: any ScanClock,
        executor: (any SerialExecutor)?, slotTransport: LocalTransport? = nil, isLocal: Bool = false,
        tags: Set<String> = [], processors: ProcessorShare? = nil, link: Link = Link(),
        reader: any TaskExecutor = globalConcurrentExecutor
    ) {
        self.link = link
        self.transport = transport
        self.slotTransport = slotTransport
        self.id = id
        self.name = name
        self.slots = slots
        self.depth = max(depth, slots)
        self.isLocal = isLocal
        self.tags = tags
        self.processors = processors
        self.executor = executor
        taskExecutor = executor as? any TaskExecutor
        self.reader = reader
        lock = executor == nil ? Locked(()) : nil
        timeouts = Timeouts(slots: slots, clock: clock, lock: lock)
    }

    /// The transport's executor, or a private one.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor?.asUnownedSerialExecutor() ?? spare.unownedExecutor
    }

    /// Runs `work` on the system's slots, in order and with one wake-up. A system behind a transport skips it, as does
    /// one that was closed.
    package nonisolated func run(_ work: [any ScanWork]) {
        guard let slotTransport else { return work.forEach { $0.skip() } }
        slotTransport.threads.submit(work)
    }

    /// Seconds in which a processor ran the scan threads of this system so far; nil for a node, or if unknown.
    package nonisolated var processorSeconds: Double? { slotTransport?.threads.processorSeconds }

    /// Closes the slots of this process: waiting work is skipped at once, running work is not interrupted.
    package nonisolated func closeSlots() { slotTransport?.close() }

    /// Closes the system: attempts under way end with ``ScanError/Code/systemLost``, except running local scans, which
    /// are not interrupted.
    public func close() { transport.close() }
}

/// An actor that serves only as an executor.
private actor SpareExecutor {}
