internal import ScanSlots
internal import ScanBasics

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
    /// Bytes that its tasks may need together, see ``ScanTask/requiredMemory``; nil if unknown.
    public nonisolated let memory: Int?

    /// The part of the memory of this machine that tasks get by default: three quarters.
    public static var defaultMemory: Int { PhysicalMemory.byteCount / 4 * 3 }

    /// What is known of the way to it before it is used.
    public struct Link: Equatable, Sendable {
        /// Bytes per second; 1 Gbit/s by default.
        public var nominalRate = BulkLink.nominalRate
        /// Whether the system reads bulk bytes from its own files by a ``BulkReference``.
        public var readsReferences = false
        /// Bytes that the transport sends to measure the link before any others; 0 for none.
        package var probeCount = 0
        /// Whether it is a process of this machine that was started for tasks with which another one has ended, and
        /// gets no others.
        package var isSpare = false
        /// Speed of the system's slots, see `SlotSpeed`; nil if unknown.
        public var speed: Double?
        /// Bytes that the system's tasks may need together; nil if unknown.
        public var memory: Int?
        /// The address at which it was connected; nil if there is none.
        package var address: String?

        /// The default: an ordinary network, and a system that reads no files.
        public init() {}
    }

    /// The way to it.
    nonisolated let link: Link
    nonisolated let clock: any ScanClock
    /// Serves the system: where its state is used, its transport is called, and its timers take effect.
    nonisolated let executor: any ScanExecutor
    /// The executor that serves it.
    public nonisolated let unownedExecutor: UnownedSerialExecutor
    /// Where bulk bytes are read.
    nonisolated let reader: any TaskExecutor
    /// Carries attempts to a node; nil for the slots of this process, which are ``threads``.
    nonisolated let transport: (any ScanTransport)?
    nonisolated let threads: ScanThreads?
    /// Unpacks bulk bytes on the slots of this process; nil: they are not packed.
    nonisolated let unpacker: (any BulkUnpacker)?

    // The actor's state. Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    /// The attempts that have a slot of the system or wait for one, and their time limits.
    @exclusivity(unchecked) private(set) var attempts: Timeouts
    /// The timer for the next of these limits.
    @exclusivity(unchecked) private var timer: (id: TimerID, due: Instant)?
    /// The tasks on the slots of this process.
    @exclusivity(unchecked) var taken = Slots()
    /// The tasks that scan threads have left and that are not handled yet.
    nonisolated let ends = Locked(EndedTasks<any SlotTask>())
    /// What tasks on the slots of this process report.
    nonisolated let reports = ReportBuffer()

    /// The system of this process, with `slots` scan threads.
    /// - Parameters:
    ///   - slots: number of scan threads, 0 to 4096; fewer are started if the system allows no more.
    ///   - id: identity of this process.
    ///   - name: name for users.
    ///   - niceness: added to the scan threads' nice value (Linux).
    ///   - queue: most tasks that wait for a slot, with their bytes, so that a slot which becomes free has work at
    ///     once; 0 leaves as many tasks as possible to other systems.
    ///   - unpacker: unpacks bulk bytes on the scan threads; nil: they are not packed.
    ///   - tags: what it has that tasks may need.
    ///   - memory: bytes that its tasks may need together; ``defaultMemory`` if nil.
    ///   - clock: measures the scans and their time-outs. If it is a ``ScanExecutor``, it serves the system.
    public init(
        local slots: Int, id: SystemID, name: String, niceness: Int = 0, queue: Int = 0,
        unpacker: (any BulkUnpacker)? = nil, tags: Set<String> = [], memory: Int? = nil, clock: any ScanClock
    ) {
        let memory = max(0, memory ?? Self.defaultMemory)
        let threads = ScanThreads(count: min(max(0, slots), SetupError.mostSlots), niceness: niceness, memory: memory)
        // `threads.count`, not `slots`: fewer threads may have been started.
        self.init(
            by: .threads(threads, unpacker), id: id, name: name, slots: threads.count,
            depth: threads.count + min(max(0, queue), 1 << 30), clock: clock, isLocal: true, tags: tags,
            processors: .own, memory: memory)
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
    ///   - executor: the transport's executor, on which this actor then runs; `clock` if nil and that is one, otherwise
    ///     a private one.
    public init(
        remote transport: any ScanTransport, id: SystemID, name: String, slots: Int, depth: Int? = nil,
        tags: Set<String> = [], processors: ProcessorShare? = nil, link: Link = Link(), clock: any ScanClock,
        executor: (any ScanExecutor)? = nil
    ) {
        self.init(
            by: .transport(transport), id: id, name: name, slots: slots, depth: depth ?? 2 * min(slots, 1 << 30),
            clock: clock,
            executor: executor, tags: tags, processors: processors, link: link)
    }

    /// A system behind `transport` that runs on one executor only, so that it is deterministic: for simulations.
    /// It counts as the system of this process if `isLocal`.
    package init(
        simulated transport: any ScanTransport, id: SystemID, name: String, slots: Int, depth: Int, isLocal: Bool,
        tags: Set<String> = [], memory: Int? = nil, clock: any ScanClock, executor: any ScanExecutor
    ) {
        self.init(
            by: .transport(transport), id: id, name: name, slots: slots, depth: depth, clock: clock,
            executor: executor, isLocal: isLocal, tags: tags, memory: memory, reader: executor)
    }

    private enum Carrier {
        case threads(ScanThreads, (any BulkUnpacker)?)
        case transport(any ScanTransport)
    }

    private init(
        by carrier: Carrier, id: SystemID, name: String, slots: Int, depth: Int, clock: any ScanClock,
        executor: (any ScanExecutor)? = nil, isLocal: Bool = false, tags: Set<String> = [],
        processors: ProcessorShare? = nil, link: Link = Link(), memory: Int? = nil,
        reader: any TaskExecutor = globalConcurrentExecutor
    ) {
        switch carrier {
        case .threads(let threads, let unpacker): (transport, self.threads, self.unpacker) = (nil, threads, unpacker)
        case .transport(let transport): (self.transport, threads, unpacker) = (transport, nil, nil)
        }
        self.id = id
        self.name = name
        self.slots = slots
        self.depth = max(depth, slots)
        self.isLocal = isLocal
        self.tags = tags
        self.processors = processors
        self.link = link
        self.memory = memory ?? link.memory
        self.clock = clock
        self.reader = reader
        let executor = executor ?? clock as? any ScanExecutor ?? QueueExecutor()
        self.executor = executor
        unownedExecutor = executor.asUnownedSerialExecutor()
        attempts = Timeouts(slots: slots)
    }

    /// Whether `executor` serves the system.
    package nonisolated func isServed(by executor: any TaskExecutor) -> Bool {
        ObjectIdentifier(executor) == ObjectIdentifier(self.executor)
    }

    /// Calls `body` on the executor of the system: at once if the caller runs there.
    nonisolated func enter(_ body: @escaping @Sendable (isolated ScanSystem) -> Void) {
        if executor.isCurrent { return assumeIsolated(body) }
        executor.execute { self.assumeIsolated(body) }
    }

    /// Calls `body` for a task, which the caller does on the executor of the system. As `assumeIsolated`, but it asks the
    /// executor, not the runtime, which does not know who calls from an event loop; and `body`, which captures nothing, is
    /// not allocated. Both take as long as the rest of a small task.
    @inline(__always)
    nonisolated func here(_ task: TimeoutTask, _ body: @escaping (TimeoutTask, isolated ScanSystem) -> Void) {
        precondition(executor.isCurrent, "called off the executor of the system")
        // As `assumeIsolated` does it: isolation to a parameter is no part of what a function is at run time.
        unsafeBitCast(body, to: ((TimeoutTask, ScanSystem) -> Void).self)(task, self)
    }

    /// A request of an attempt is on its way: its time begins when a slot is free for it.
    func timeBegins(for attempt: TimeoutTask) {
        attempts.begin(attempt) { clock.now }
        setTimer()
    }

    /// The request is over, at `now` if that is known. Calls without ``timeBegins(for:)`` are ignored.
    func timeEnds(for attempt: TimeoutTask, at now: Instant? = nil) {
        attempts.end(attempt) { now ?? clock.now }
        setTimer()
    }

    private func setTimer() {
        if timer?.due == attempts.due { return }
        if let timer { clock.cancel(timer.id) }
        timer = attempts.due.map { due in (clock.schedule(at: due) { self.enter { $0.expire(at: due) } }, due) }
    }

    /// The timer has fired.
    private func expire(at due: Instant) {
        // It may have been replaced when it had fired.
        guard timer?.due == due else { return }
        timer = nil
        let expired = attempts.expire(at: due)
        setTimer()
        for attempt in expired { attempt.expire(on: self) }
    }

    /// Closes the system: attempts under way end with ``ScanError/Code/systemLost``, except running local scans, which
    /// are not interrupted.
    public func close() {
        transport?.close()
        closeSlots()
    }
}
