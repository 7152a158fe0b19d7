public import ScanCluster
public import ScanSecurity

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Connects nodes and registers them as systems: those of a list, which are always reconnected, and discovered ones.
public final class RemoteNodes: @unchecked Sendable {
    // Sendable: what changes is touched only on the loop's thread, except `shared`, which has a lock.

    /// Options of the connections.
    public struct Options: Sendable {
        /// Name of this coordinator, for the nodes' logs; the host's name by default.
        public var name: String = hostName()
        /// The ID of its job in this process's log, which nodes' logs repeat; nil if it has none.
        public var job: String?
        /// Weight of this coordinator where several share a node, from 0.01 to 100: it gets a share of the node's time in
        /// proportion to it. 1 by default.
        public var weight = 1.0
        /// Most tasks in flight to one node; nil for what the node admits, which is never exceeded. There are usually
        /// fewer: two per slot, or as many as take 20 ms if tasks are shorter.
        public var depth: Int?
        /// Longest frame accepted from a node, in bytes; 1 GiB by default.
        public var frameLimit = 1 << 30
        /// Time limits.
        public var timing = ConnectionTiming()
        /// How this process computes: nodes that compute differently, or do not report how they compute, are refused.
        /// Nil, the default, to use every node.
        public var arithmetic: Arithmetic?
        /// The form in which bulk bytes are packed for nodes that unpack it, see `BulkUnpacker.form`; nil to pack none.
        public var packed: String?
        /// Whether links are measured before the first bulk bytes are sent over them, with up to a megabyte each: for
        /// tasks with megabytes of these. False by default.
        public var measuresLinks = false
        /// When numbers are compressed; only benchmarks and tests change it.
        package var compression = LinkQueue.Use.asMeasured
        /// Names of the types of task that a node must run to be used; none by default, so that a task finds out.
        public var taskTypes: [String] = []
        /// Which nodes are used; all by default.
        public var selection = NodeSelection()
        /// Whether nodes that compute differently are used all the same; see ``RemoteNodes/differentNodes``.
        public var allowsDifferentNodes = false
        /// Makes the sessions that protect the connections; only benchmarks change it.
        package var sessions = SessionMaker.tls

        /// The default options.
        public init() {}
    }

    private struct Shared {
        var states: [NodeState]
        var waiters: [CheckedContinuation<[NodeState], Never>] = []
        var isSettled = false
        var differentNodes: [String: NodeInfo] = [:]
        var traffic = BulkTraffic()
        var hasReader = false
        var reports = BulkReports()
        var link = LinkUse()
    }

    let loop: EventLoop
    var keys: KeyRing
    let systems: Systems
    let options: Options
    /// The weight of this coordinator now.
    private(set) var weight: Double
    private let sharedCompressor = BulkCompressor()
    private let shared: Locked<Shared>
    var links: PeerLinks
    /// What performs the links' decisions, by their numbers.
    var shells: [Int: NodeLink] = [:]

    /// Nodes at these addresses (`HOST:PORT`) that hold one of these keys; ``start()`` connects them.
    public init(
        _ addresses: [String], keys: KeyRing, systems: Systems, options: Options = Options(),
        loop: EventLoop = .shared
    ) {
        self.loop = loop
        self.keys = keys
        self.systems = systems
        self.options = options
        weight = options.weight
        shared = Locked(Shared(states: addresses.map { NodeState(address: $0) }, isSettled: addresses.isEmpty))
        links = PeerLinks(count: addresses.count)
        for (number, address) in addresses.enumerated() {
            shells[number] = NodeLink(number, address: address, of: self)
        }
    }

    /// Connects the nodes, and reconnects them whenever they are lost, until ``close()``.
    public func start() {
        loop.execute { self.perform(self.links.start(at: self.loop.now)) }
    }

    /// Has this coordinator this weight from now on, instead of that of ``Options/weight``, also at nodes that are
    /// connected: from the next task that each gets. A node of an older version keeps the weight until it is connected
    /// again.
    public func use(weight: Double) {
        loop.execute {
            self.weight = weight
            for shell in self.shells.values { shell.use(weight: weight) }
        }
    }

    /// Waits until every address that was given has joined or its first attempt has failed.
    /// - Returns: their states, in the order in which they were given.
    public func settled() async -> [NodeState] {
        await withCheckedContinuation { continuation in
            let states = shared.withLock { shared -> [NodeState]? in
                if shared.isSettled { return shared.states }
                shared.waiters.append(continuation)
                return nil
            }
            if let states { continuation.resume(returning: states) }
        }
    }

    /// The state of each node: those given, in that order, then the discovered ones.
    public var states: [NodeState] {
        get async {
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: self.links.links.map(self.state)) }
            }
        }
    }

    /// The nodes that have joined although they compute differently, by the names of their systems. A node stays listed
    /// when it leaves.
    public var differentNodes: [String: NodeInfo] { shared.withLock { $0.differentNodes } }

    /// How nodes have got bulk bytes so far.
    public var traffic: BulkTraffic { shared.withLock { $0.traffic } }

    /// Compresses bulk bytes for all nodes; nil: nothing does.
    var compressor: BulkCompressor? { options.compression == .never ? nil : sharedCompressor }

    /// Whether a node has joined that reads bulk bytes from its own storage, if it finds them there.
    public var hasReader: Bool { shared.withLock { $0.hasReader } }

    /// Bulk bytes that nodes should have read from their own storage but did not, or read differently.
    public var bulkProblems: [BulkProblem] { shared.withLock { $0.reports.problems } }

    /// Seconds for which the link to the nodes was full so far: bytes waited that a socket did not take.
    public var fullLinkSeconds: Double { shared.withLock { $0.link.seconds(at: loop.now) } }

    func noteLink(isFull: Bool) { shared.withLock { $0.link.note(isFull: isFull, at: loop.now) } }

    func add(_ report: BulkReport, of node: String) { shared.withLock { $0.reports.add(report, of: node) } }

    func add(_ traffic: BulkTraffic) { shared.withLock { $0.traffic += traffic } }

    func noteReader() { shared.withLock { $0.hasReader = true } }

    /// A node that computes differently joins as the system of that name.
    func admit(_ node: NodeInfo, as name: String) { shared.withLock { $0.differentNodes[name] = node } }

    /// Removes the nodes from the systems and closes their connections; attempts in flight are lost.
    public func close() {
        loop.execute { self.perform(self.links.close(at: self.loop.now)) }
    }

    /// Something happened on a link.
    func handle(_ event: LinkState.Event, of number: Int) {
        perform(links.handle(event, of: number, at: loop.now, jitter: Double.random(in: 0...1)))
    }

    func perform(_ actions: [PeerLinks.Action]) {
        for action in actions {
            switch action {
            case .link(let number, let action): shells[number]?.perform(action)
            case .remove(let number): shells[number] = nil
            }
        }
        publish()
    }

    private func publish() {
        let states = links.links.filter { $0.key == nil }.map(state)
        let waiters = shared.withLock { shared in
            shared.states = states
            guard links.isSettled else { return [CheckedContinuation<[NodeState], Never>]() }
            shared.isSettled = true
            defer { shared.waiters = [] }
            return shared.waiters
        }
        for waiter in waiters { waiter.resume(returning: states) }
    }

    /// Names of the nodes that are connected, were connected or are to be connected.
    var knownNames: Set<String> { Set(shells.values.compactMap(\.name)) }

    /// The state of a link; that of a duplicate names the address of the link that is used.
    private func state(_ link: PeerLinks.Link) -> NodeState {
        guard let shell = shells[link.number] else { preconditionFailure("every link has a shell") }
        guard case .duplicate = link.state.status else { return shell.state(link.state.status) }
        let other = links.user(insteadOf: link.number).flatMap { shells[$0] }
        return shell.state(.duplicate(of: other?.address ?? "another connection"))
    }
}

/// The name of this machine.
public func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
