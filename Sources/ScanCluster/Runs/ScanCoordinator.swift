/// Distributes tasks to systems and returns their responses as they arrive.
public struct ScanCoordinator: Sendable {
    /// Limits of a run.
    public struct Options: Equatable, Sendable {
        /// Time a system has to answer one attempt; it is then cancelled and the task tried again. Nil, the default,
        /// sets no limit of its own: ``adaptiveTimeout`` holds.
        ///
        /// The time begins when the task has been handed to its system's connection or threads and a slot is free for
        /// it, as far as this coordinator's tasks are concerned. The transfer of the task and its bulk bytes, a wait
        /// behind the tasks of other coordinators, the scan, and the transfer of its result count; reading the bulk
        /// bytes does not.
        public var timeout: Duration?
        /// The limit where ``timeout`` is nil; ``AdaptiveTimeout/ofAnyTask`` by default, so that nothing waits for ever. With
        /// it, a system on which as many attempts in a row exceed their limit as it has slots gets no further task of the
        /// run. Nil for none: then only a lost connection ends an attempt.
        public var adaptiveTimeout: AdaptiveTimeout?
        /// Attempts that may throw or time out before a task is reported as failed; at least 1, by default 3.
        public var maxAttempts: Int { didSet { maxAttempts = Self.count(maxAttempts) } }
        /// Systems that may fail while they run a task before it is reported as failed; at least 1, by default 8. A task
        /// with which the processes of two systems have ended is reported at once, so that it does not end all of them.
        public var maxSystemFaults: Int { didSet { maxSystemFaults = Self.count(maxSystemFaults) } }
        /// How long the run waits while there is no system that could run its tasks; it then ends with
        /// ``ScanError/Code/noSystem``. 10 s by default.
        public var waitForSystems: Duration
        /// Responses kept for a consumer that is slower than the systems; at least 1, by default 256. No task is
        /// started while twice as many wait.
        public var responseBuffer: Int { didSet { responseBuffer = Self.count(responseBuffer) } }
        /// Whether a task that runs longer than expected may run on a second system at the same time; true by default.
        /// False for tasks with effects beyond their output.
        public var hedges = true

        /// The defaults, or other values.
        public init(
            timeout: Duration? = nil, maxAttempts: Int = 3, maxSystemFaults: Int = 8,
            waitForSystems: Duration = .seconds(10), responseBuffer: Int = 256,
            adaptiveTimeout: AdaptiveTimeout? = .ofAnyTask
        ) {
            self.timeout = timeout
            self.adaptiveTimeout = adaptiveTimeout
            self.maxAttempts = Self.count(maxAttempts)
            self.maxSystemFaults = Self.count(maxSystemFaults)
            self.waitForSystems = max(.zero, waitForSystems)
            self.responseBuffer = Self.count(responseBuffer)
        }

        /// The nearest number that serves as a limit.
        private static func count(_ number: Int) -> Int { min(max(1, number), 1 << 30) }
    }

    /// A run's state between two events.
    package struct Inspection {
        package let state: RunState
        /// Whether the run waits for its consumer.
        package let isHeldUp: Bool
    }

    /// Called after each event of a run, on the run's executor: for tests and simulations.
    package var inspector: (@Sendable (Inspection) -> Void)?

    /// Calls the node at an address, which answers also while it takes no tasks, and returns its reply; nil if this process
    /// has no connections to nodes.
    package var call: (@Sendable (_ address: String, _ body: [UInt8]) async -> [UInt8]?)?

    package let systems: Systems
    /// The settings of runs that are made for tasks of other kinds of runs.
    var traits = RunTraits()
    /// Limits of a run.
    package private(set) var options: Options
    package let clock: any ScanClock
    package let executor: (any TaskExecutor)?
    let seen = Locked<[SystemID: String]>([:])
    /// Of the tasks of all runs, for the adaptive time-out: the first task of a run has a limit that is known, too.
    let pace = Locked(TaskPace())

    /// A coordinator of runs on `systems`.
    /// - Parameters:
    ///   - systems: may change during runs, and may be shared.
    ///   - options: limits of the runs.
    ///   - clock: keeps the time.
    ///   - executor: the transports' executor, which avoids executor hops; Swift's global one if nil.
    public init(
        systems: Systems, options: Options = Options(), clock: any ScanClock, executor: (any TaskExecutor)? = nil
    ) {
        self.systems = systems
        self.options = options
        self.clock = clock
        self.executor = executor
    }

    /// A coordinator of runs on `systems`, by their clock.
    public init(_ systems: Systems, options: Options = Options()) {
        self.init(systems: systems, options: options, clock: systems.clock)
    }

    /// The same coordinator with other limits.
    func with(_ options: Options) -> ScanCoordinator {
        var coordinator = self
        coordinator.options = options
        return coordinator
    }

    /// Runs `tasks` and returns exactly one response for each, in the order of completion.
    ///
    /// The run begins when an iterator is made, and is cancelled when the iterator is dropped or the iterating task is
    /// cancelled. The sequence ends, or throws, only after every attempt has ended.
    /// - Parameters:
    ///   - tasks: pulled as they are needed, so that a run of any length fits into memory.
    ///   - bulk: the bytes that travel beside a task, read when an attempt needs them.
    ///   - observer: called with each event, in order, on the run's executor; must not block.
    /// - Returns: a sequence that throws ``ScanError``: ``ScanError/Code/noSystem`` when there is no system to run the
    ///   tasks, ``ScanError/Code/bulkUnreadable`` when the input cannot be read.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable,
        bulk: (@Sendable (Work) -> BulkSource?)? = nil,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        TaskResponses { [self] in begin({ tasks.makeIterator() }, bulk: bulk, observer: observer) }
    }

    /// Begins a run of the tasks of an iterator, or of those that arrive in `stream`.
    func begin<Work: ScanTask>(
        _ tasks: @escaping @Sendable () -> any IteratorProtocol<Work>, arrivingIn stream: TaskStream<Work>? = nil,
        bulk: (@Sendable (Work) -> BulkSource?)?, observer: (@Sendable (TaskEvent) -> Void)?
    ) -> TaskResponses<Work>.AsyncIterator {
        let channel = TaskResponses<Work>.Channel(capacity: options.responseBuffer)
        let run = Task(executorPreference: executor) {
            await withTaskCancellationHandler {
                var run = Run(of: self, tasks(), bulk: bulk, observer: observer, channel: channel)
                run.stream = stream
                run.traits = traits
                let error = await run.run()
                stream?.abandon()
                channel.finish(error)
            } onCancel: {
                channel.abandon()
            }
        }
        return TaskResponses.AsyncIterator(channel: channel) { run.cancel() }
    }
}

/// The settings of a run that serves another kind of run, such as one in chunks.
struct RunTraits: Sendable {
    /// The systems that the run uses, as they become ready; nil for all.
    var primed: PrimedSystems?
    /// When the tasks failed in chunks, in their order; nil if they did not. They go to the local system first.
    var failures: ArraySlice<Instant>?
    /// Called with a task that was given up, by its place in the run, and the error that its last attempt ended with.
    var onError: (@Sendable (Int, ScanError.Code) -> Void)?
    /// Takes what tasks report, in place of the observer.
    var onReport: (@Sendable (ScanSystem.AttemptID, _ system: String, TaskReport) -> Void)?
}
