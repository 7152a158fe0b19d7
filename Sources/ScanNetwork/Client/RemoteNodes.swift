public import ScanCluster
public import ScanSecurity

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps nodes connected and among the systems: a list that is reconnected for good, and those that are found.
public final class RemoteNodes: @unchecked Sendable {
    // Sendable: what changes is touched only on the loop's thread, except `shared`, which has a lock.

    /// How to connect.
    public struct Options: Sendable {
        /// Name of this coordinator, for the nodes' logs; the host's name by default.
        public var name: String = hostName()
        /// What the log of this process calls its job, so that those of nodes can call it the same; nil if it has none.
        public var job: String?
        /// Most tasks in flight to one node; what it admits if nil, and never more. Fewer are in flight unless they
        /// are tiny: one more per slot, or what takes 20 ms.
        public var window: Int?
        /// Longest frame accepted from a node, in bytes; 1 GiB by default.
        public var frameLimit = 1 << 30
        /// Time limits.
        public var timing = ConnectionTiming()
        /// What protects the connections; only benchmarks change it.
        package var sessions = SessionMaker.tls

        /// The default options.
        public init() {}
    }

    private struct Shared {
        var states: [NodeState]
        var waiters: [CheckedContinuation<[NodeState], Never>] = []
        var isSettled = false
    }

    let loop: EventLoop
    var keys: KeyRing
    let systems: Systems
    let options: Options
    private let shared: Locked<Shared>
    var links: [NodeLink] = []
    /// Keys of nodes to be forgotten once they are not connected.
    var departing: Set<String> = []
    private(set) var isClosed = false

    /// Nodes at these addresses (`HOST:PORT`) that hold one of these keys; ``start()`` connects them.
    public init(
        _ addresses: [String], keys: KeyRing, systems: Systems, options: Options = Options(),
        loop: EventLoop = .shared
    ) {
        self.loop = loop
        self.keys = keys
        self.systems = systems
        self.options = options
        shared = Locked(Shared(states: addresses.map { NodeState(address: $0) }, isSettled: addresses.isEmpty))
        links = addresses.map { address in
            NodeLink(
                address: address, keys: { [weak self] in self?.keys }, systems: systems, options: options, loop: loop
            ) { [weak self] in
                self?.changed($0)
            }
        }
    }

    /// Connects the nodes, and reconnects them whenever they are lost, until ``close()``.
    public func start() {
        loop.execute { for link in self.links { link.start() } }
    }

    /// Waits until every address that was given has joined or failed its first try.
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

    /// How it stands with each node now: those given, in that order, then those found.
    public var states: [NodeState] {
        get async {
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: self.links.map(self.named)) }
            }
        }
    }

    /// Takes the nodes from the systems and closes their connections; attempts under way are lost.
    public func close() {
        loop.execute {
            self.isClosed = true
            for link in self.links {
                if link.state.status == .joined, let node = link.state.node { self.systems.leave(node.identity) }
                link.close()
            }
        }
    }

    func changed(_ link: NodeLink) {
        publish()
        // A link that found its node taken may have it, once the other link has lost it.
        if case .failed = link.state.status {
            for other in links where other !== link && other.identity == link.state.node?.identity {
                guard case .duplicate = other.state.status else { continue }
                if other.key == nil { other.retry() } else { other.release() }
            }
        }
        forgetDeparted()
    }

    private func publish() {
        let states = links.filter { $0.key == nil }.map(named)
        let waiters = shared.withLock { shared in
            shared.states = states
            guard states.allSatisfy(\.isSettled) else { return [CheckedContinuation<[NodeState], Never>]() }
            shared.isSettled = true
            defer { shared.waiters = [] }
            return shared.waiters
        }
        for waiter in waiters { waiter.resume(returning: states) }
    }

    /// The link's state; a duplicate names the address of the link that has the node.
    private func named(_ link: NodeLink) -> NodeState {
        var state = link.current
        if case .duplicate = state.status {
            let first = links.first { $0.state.status == .joined && $0.state.node?.identity == link.identity }
            state.status = .duplicate(of: first?.state.address ?? "another connection")
        }
        return state
    }
}

/// The name of this machine.
public func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
