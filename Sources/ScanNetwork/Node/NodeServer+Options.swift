internal import ScanBasics
import ScanCluster
package import ScanSecurity

extension NodeServer {
    /// Limits of a node.
    public struct Options: Sendable {
        /// Tasks that may wait beyond the slots; more are refused. 1024 by default.
        public var queueLimit = 1024
        /// Most bulk bytes of tasks that run or wait; tasks beyond it are refused, except a single large one. Half of
        /// the memory by default.
        public var bulkLimit = PhysicalMemory.byteCount / 2
        /// Most bulk bytes kept for later tasks; by default a quarter of the memory, 1 GiB at most. 0 keeps none.
        public var bulkCacheLimit = min(1 << 30, PhysicalMemory.byteCount / 4)
        /// Longest frame accepted, bulk bytes included; 1 GiB by default.
        public var frameLimit = 1 << 30
        /// Bytes that tasks may need together, see `ScanTask.requiredMemory`; three quarters of the memory by default.
        public var memory = ScanSystem.defaultMemory
        /// Connections at the same time; 256 by default.
        public var connectionLimit = 256
        /// Limits of connections whose peer has not yet proved that it holds the cluster key.
        package var unauthenticated = UnauthenticatedLimits()
        /// Added to the scan threads' nice value (Linux), so that the node's owner is not disturbed; 0 by default.
        public var niceness = 0
        /// What the node has that tasks may need, such as `gpu`: see `ScanTask.requiredTags`. Used where the server, or its
        /// `ScanNode`, makes the system.
        public var tags: Set<String> = []
        /// Whether the node listens on a free port if its port is taken.
        public var mayUseAnotherPort = false
        /// Time limits.
        public var timing = ConnectionTiming()
        /// Time in which tasks that run may end after the node was paused, before they are given back as well; 1 s.
        public var pauseGrace = Duration.seconds(1)
        /// Carries out an order of a holder of the key, and returns why the node runs no tasks then; nil if it runs
        /// them. Called on the I/O thread. Nil: orders are refused.
        public var onOrder: (@Sendable (NodeOrder, Peer) -> String?)?
        /// Answers a call of a holder of the key: its bytes have the meaning that the program gives them. Not called on the
        /// I/O thread. Nil: the node answers no calls.
        public var onCall: (@Sendable ([UInt8], Peer) async -> [UInt8])?
        /// The connection of a peer that sent calls has ended. Called on the I/O thread.
        package var onCallsEnded: (@Sendable (Peer) -> Void)?
        /// Makes the sessions that protect the connections; only benchmarks change it.
        package var sessions = SessionMaker.tls

        /// The default limits.
        public init() {}
    }

    /// An event for a node's log.
    public enum Event: Sendable, CustomStringConvertible {
        /// A coordinator has connected.
        case connected(Peer)
        /// A peer was refused, or was no coordinator; `unlogged` others from its address since the last such event.
        case refused(peer: String, reason: String, unlogged: Int)
        /// A coordinator's connection has ended, with the numbers of its tasks that were done and cancelled.
        case disconnected(Peer, reason: String, done: Int, cancelled: Int)
        /// A coordinator's task was refused.
        case declined(Peer, typeName: String, reason: String)
        /// Bulk bytes to which a coordinator referred, or that it packed, cannot be read here; it sends them instead.
        case unreadable(Peer, reason: String)
        /// The scan of an attempt at a coordinator's task threw.
        case failed(Peer, typeName: String, attempt: Int, seconds: Double, reason: String)
        /// Connections cannot be accepted now.
        case troubled(reason: String)
        /// The node runs no tasks from now on, for this reason; so many that waited were given back.
        case paused(reason: String, givenBack: Int)
        /// All slots are free after the node was paused: `givenBack` tasks that ran were given back as well.
        case freed(after: Duration, givenBack: Int)
        /// The node takes tasks again.
        case resumed
        /// A holder of the key has ordered this.
        case ordered(NodeOrder, Peer)

        /// One line.
        public var description: String {
            switch self {
            case .connected(let peer): "\(peer.name) connected from \(peer.address)"
            case .refused(let peer, let reason, let unlogged):
                "refused \(peer): \(reason)"
                    + (unlogged > 0 ? "; \(unlogged) others from this address were not logged" : "")
            case .disconnected(let peer, let reason, let done, let cancelled):
                "\(peer) \(reason); \(done) tasks done, \(cancelled) cancelled"
            case .declined(let peer, let typeName, let reason):
                "declined \(typeName) of \(peer): this node \(reason)"
            case .unreadable(let peer, let reason):
                "\(peer) must send bulk bytes in full: \(reason)"
            case .failed(let peer, let typeName, let attempt, let seconds, let reason):
                "\(typeName) of \(peer) failed in attempt \(attempt), after "
                    + "\((seconds * 1000).rounded() / 1000) s: \(reason)"
            case .troubled(let reason): "cannot accept connections now: \(reason)"
            case .paused(let reason, let count): "paused: \(reason); \(count) waiting tasks given back"
            case .freed(let time, let count):
                "all slots are free after \(time.words); \(count) running tasks given back"
            case .resumed: "resumed"
            case .ordered(let order, let peer): "\(peer) ordered: \(order.rawValue)"
            }
        }

        /// The name that the coordinator's log has for this event's job; nil if there is none.
        public var job: String? {
            switch self {
            case .connected(let peer), .disconnected(let peer, _, _, _), .declined(let peer, _, _),
                .unreadable(let peer, _), .failed(let peer, _, _, _, _):
                peer.job
            case .refused, .troubled, .paused, .freed, .resumed, .ordered: nil
            }
        }
    }

    /// A coordinator, as it appears in a log.
    public struct Peer: Equatable, Sendable, CustomStringConvertible {
        /// Its address and port.
        public var address: String
        /// The name in its hello.
        public var name: String
        /// The name in its log of the job for which it connected; nil if it reported none.
        public var job: String?

        /// A coordinator at `address`.
        public init(address: String, name: String, job: String? = nil) {
            (self.address, self.name, self.job) = (address, name, job)
        }

        /// Name and address.
        public var description: String { "\(name) at \(address)" }
    }

    /// A node's present load.
    public struct Status: Equatable, Sendable {
        /// Connected coordinators.
        public var connections = 0
        /// Tasks that run.
        public var running = 0
        /// Tasks that wait for a slot.
        public var queued = 0
        /// Tasks done since the start.
        public var done = 0
        /// Bulk bytes that are kept.
        public var bulkBytes = 0

        /// No connection and no task; `done` tasks were done.
        public init(done: Int = 0) { self.done = done }

        init(connections: Int, running: Int, queued: Int, done: Int, bulkBytes: Int) {
            (self.connections, self.running, self.queued) = (connections, running, queued)
            (self.done, self.bulkBytes) = (done, bulkBytes)
        }
    }
}
