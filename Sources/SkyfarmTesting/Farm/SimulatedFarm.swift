public import ScanCluster

/// A farm in one thread and in virtual time: the engine is the real one, its nodes, its network and its clock are
/// simulated. It tests how tasks fare when nodes are killed, hang, slow down or lose messages.
///
/// The code of each task runs, on the thread of the test. The time that this takes does not count: a task of cost 3 takes
/// three virtual seconds on a node of speed 1. Tasks and outputs are coded and decoded on their way, as on a network.
///
/// ```swift
/// var farm = SimulatedFarm(seed: 7, nodes: 3)
/// farm.nodes[0].faults = [.kill(at: .seconds(2), for: .seconds(10))]
/// farm.nodes[1].faults = [.hang(at: .seconds(1))]
/// let report = try farm.run(tasks)
/// #expect(try report.outputs().count == tasks.count)
/// ```
///
/// A farm is a value, and equal farms run in the same way: a failed test is repeated by its seed.
public struct SimulatedFarm: Equatable, Sendable {
    /// A simulated node.
    public struct Node: Equatable, Sendable {
        /// Its name, which responses and events have.
        public var name: String
        /// Number of tasks that run at a time; at least 1.
        public var slots: Int
        /// Tags that tasks may require, see `ScanTask.requiredTags`.
        public var tags: Set<String>
        /// Cost that a slot does in a second.
        public var speed: Double
        /// Virtual time from the beginning of the run at which the node joins.
        public var joins: Duration
        /// What happens to it.
        public var faults: [Fault] = []

        /// A node without faults.
        public init(
            _ name: String, slots: Int = 2, tags: Set<String> = [], speed: Double = 1, joins: Duration = .zero
        ) {
            self.name = name
            self.slots = slots
            self.tags = tags
            self.speed = speed
            self.joins = joins
        }
    }

    /// A fault of a node. Times are virtual and count from the beginning of the run.
    public enum Fault: Equatable, Sendable {
        /// The process dies, which its coordinator sees at once; it is started again after that time, if not nil.
        case kill(at: Duration, for: Duration? = nil)
        /// The process stops and answers nothing, as one that is suspended does, for that time or for ever. After
        /// ``Network/silence`` its coordinator gives it up.
        case hang(at: Duration, for: Duration? = nil)
        /// Tasks that begin in that time take so many times as long.
        case slow(at: Duration, for: Duration, factor: Double)
    }

    /// How messages between the coordinator and its nodes travel.
    public struct Network: Equatable, Sendable {
        /// Time that a message takes, drawn uniformly.
        public var latency: ClosedRange<Duration> = .microseconds(100)...(.milliseconds(1))
        /// Probability that a message is lost. The attempt then ends by a time limit or by that of another system.
        public var loss = 0.0
        /// Time after which a node that hangs is given up; 3 s, as by default on a real network.
        public var silence = Duration.seconds(3)

        /// A network that loses nothing.
        public init() {}
    }

    /// The seed of all random numbers.
    public var seed: UInt64
    /// The nodes, whose names should differ.
    public var nodes: [Node]
    /// Slots of the coordinator's own system, whose name is `local`; 0 for none.
    public var localSlots: Int
    /// The network.
    public var network = Network()
    /// The coordinator's limits. Their time limits end attempts that hang on a node that answers.
    public var options: ScanCoordinator.Options
    /// Virtual time after which the run counts as one that does not end; a day by default. While a slot idles the engine
    /// looks for work twenty times a second, so that a long time takes its time.
    public var limit = Duration.seconds(86_400)

    /// A farm of these nodes.
    public init(
        seed: UInt64 = 0, nodes: [Node] = [], localSlots: Int = 0, options: ScanCoordinator.Options = .init()
    ) {
        self.seed = seed
        self.nodes = nodes
        self.localSlots = localSlots
        self.options = options
    }

    /// A farm of `count` nodes of two slots, `node-1` and so on, without faults.
    public init(
        seed: UInt64 = 0, nodes count: Int, localSlots: Int = 0, options: ScanCoordinator.Options = .init()
    ) {
        let nodes = (0..<max(0, count)).map { Node("node-\($0 + 1)") }
        self.init(seed: seed, nodes: nodes, localSlots: localSlots, options: options)
    }

    /// Gives each node random faults, drawn from the seed.
    /// - Parameters:
    ///   - interval: mean time between two faults of a node.
    ///   - end: time after which all faults have ended.
    public mutating func addRandomFaults(every interval: Duration, until end: Duration) {
        for index in nodes.indices {
            var random = SplitMix64(seed: seed, stream: UInt64(index) + 1)
            var time = 0.0
            while true {
                time += max(interval / .seconds(1), 1e-3) * Double.random(in: 0.1...1.9, using: &random)
                let left = end / .seconds(1) - time
                guard left > 0 else { break }
                let length = Duration.seconds(left * Double.random(in: 0.01...0.5, using: &random))
                let begin = Duration.seconds(time)
                let factor = Double.random(in: 2...20, using: &random)
                let faults: [Fault] = [
                    .kill(at: begin, for: length), .hang(at: begin, for: length),
                    .slow(at: begin, for: length, factor: factor),
                ]
                nodes[index].faults += faults.randomElement(using: &random).map { [$0] } ?? []
                time += length / .seconds(1)
            }
        }
    }

    /// Runs tasks to the end, or until the run cannot continue.
    /// - Parameters:
    ///   - tasks: each gets exactly one response.
    ///   - bulk: the bytes that travel beside a task.
    /// - Returns: the responses, and how the run went.
    /// - Throws: ``SimulationError`` if the run does not end: its tasks wait for something that never happens.
    public func run<Work: ScanTask>(
        _ tasks: [Work], bulk: (@Sendable (Work) -> BulkSource?)? = nil
    ) throws(SimulationError) -> SimulatedReport<Work> {
        let report = Locked(SimulatedReport<Work>())
        try run { coordinator, elapsed in
            do throws(ScanError) {
                let run = coordinator.responses(to: tasks, bulk: bulk) { event in
                    report.withLock { $0.events.append(event) }
                }
                for try await response in run { report.withLock { $0.responses.append(response) } }
            } catch {
                report.withLock { $0.error = error }
            }
            report.withLock { $0.duration = elapsed() }
        }
        return report.withLock { $0 }
    }

    /// Runs code that has several runs, one after the other or at a time, such as one that uses the results of another.
    /// - Parameter body: gets a coordinator of the farm, and the virtual time since the beginning.
    /// - Returns: what `body` returns.
    /// - Throws: ``SimulationError`` if `body` waits for something that never happens.
    @discardableResult
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable (ScanCoordinator, _ elapsed: @escaping @Sendable () -> Duration) async -> Value
    ) throws(SimulationError) -> Value {
        let world = SimulatedFarmWorld(self)
        defer { world.end() }
        let coordinator = ScanCoordinator(
            systems: world.systems, options: options, clock: world.clock, executor: world.executor)
        let value = world.executor.run(until: Instant(nanoseconds: 0).advanced(by: limit)) {
            await body(coordinator) { world.elapsed }
        }
        guard let value else { throw SimulationError(seed: seed, time: world.elapsed) }
        return value
    }
}

/// What a run of a ``SimulatedFarm`` gave.
public struct SimulatedReport<Work: ScanTask>: Sendable {
    /// The responses, in the order of completion.
    public internal(set) var responses: [TaskResponse<Work>] = []
    /// Why the run ended before all tasks had a response; nil if it did not.
    public internal(set) var error: ScanError?
    /// All events, in their order.
    public internal(set) var events: [TaskEvent] = []
    /// Virtual time that the run took.
    public internal(set) var duration = Duration.zero

    /// Number of attempts that began, on all systems. Without faults there is one for each task.
    public var attempts: Int {
        events.count { if case .taskStarted = $0 { true } else { false } }
    }

    /// The outputs by the identities of their tasks.
    /// - Throws: the error that ended the run, or the failure of the first task that has failed.
    public func outputs() throws -> [Work.ID: Work.Output] {
        if let error { throw error }
        return try Dictionary(responses.map { ($0.id, try $0.get()) }) { first, _ in first }
    }
}

/// A run of a ``SimulatedFarm`` does not end.
public struct SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The seed of the farm.
    public var seed: UInt64
    /// Virtual time at which nothing was left that could happen, or the limit of the farm was reached.
    public var time: Duration

    /// One line.
    public var description: String { "the run of seed \(seed) does not end: it was given up after \(time)" }
}
