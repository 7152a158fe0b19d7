internal import ScanMemory
package import ScanSecurity

extension NodeServer {
    /// Limits of a node.
    public struct Options: Sendable {
        /// Tasks that may wait beyond the slots; more are refused. 1024 by default.
        public var queueLimit = 1024
        /// Bytes of bulk that tasks which run or wait may have brought; more are refused, unless there is but one such
        /// task. Half of the memory by default.
        public var bulkLimit = PhysicalMemory.byteCount / 2
        /// Bytes of bulk kept for later tasks; by default a quarter of the memory, 1 GiB at most. 0 keeps none.
        public var bulkCacheLimit = min(1 << 30, PhysicalMemory.byteCount / 4)
        /// Longest frame accepted, bulk bytes included; 1 GiB by default.
        public var frameLimit = 1 << 30
        /// Connections at the same time; 256 by default.
        public var connectionLimit = 256
        /// Limits of connections whose peer has not yet proved that it holds the cluster key.
        package var unauthenticated = UnauthenticatedLimits()
        /// Added to the scan threads' nice value (Linux), so that the node's owner feels nothing; 0 by default.
        public var niceness = 0
        /// Time limits.
        public var timing = ConnectionTiming()
        /// What protects the connections; only benchmarks change it.
        package var sessions = SessionMaker.tls

        /// The default limits.
        public init() {}
    }

    /// Something worth a line in a node's log.
    public enum Event: Sendable, CustomStringConvertible {
        /// A coordinator has connected.
        case connected(Peer)
        /// A peer was not let in, or was no coordinator; `unlogged` others from its address since the last such event.
        case refused(peer: String, reason: String, unlogged: Int)
        /// A coordinator's connection has ended, after so many tasks of it were done and so many given up.
        case disconnected(Peer, reason: String, done: Int, cancelled: Int)
        /// A coordinator's task was not taken.
        case declined(Peer, scanner: String, reason: String)
        /// What a coordinator referred to is not here; it sends the bytes instead.
        case unreadable(Peer, reason: String)
        /// The scan of an attempt at a coordinator's task threw, after so many seconds.
        case failed(Peer, scanner: String, attempt: Int, seconds: Double, reason: String)
        /// Connections cannot be accepted now.
        case troubled(reason: String)

        /// One line.
        public var description: String {
            switch self {
            case .connected(let peer): "\(peer.name) connected from \(peer.address)"
            case .refused(let peer, let reason, let unlogged):
                "refused \(peer): \(reason)" + (unlogged > 0 ? "; so were \(unlogged) more from there before" : "")
            case .disconnected(let peer, let reason, let done, let cancelled):
                "\(peer) \(reason); \(done) tasks done, \(cancelled) cancelled"
            case .declined(let peer, let scanner, let reason):
                "took no \(scanner) of \(peer): this node \(reason)"
            case .unreadable(let peer, let reason):
                "\(peer) must send what it refers to: \(reason)"
            case .failed(let peer, let scanner, let attempt, let seconds, let reason):
                "\(scanner) of \(peer) failed in attempt \(attempt), after "
                    + "\((seconds * 1000).rounded() / 1000) s: \(reason)"
            case .troubled(let reason): "cannot take connections now: \(reason)"
            }
        }

        /// What the coordinator's log calls the job that this is about; nil if it is about none, or none was told.
        public var job: String? {
            switch self {
            case .connected(let peer), .disconnected(let peer, _, _, _), .declined(let peer, _, _),
                .unreadable(let peer, _), .failed(let peer, _, _, _, _):
                peer.job
            case .refused, .troubled: nil
            }
        }
    }

    /// A coordinator, as a log names it.
    public struct Peer: Equatable, Sendable, CustomStringConvertible {
        /// Where it is.
        public var address: String
        /// The name it gave itself.
        public var name: String
        /// What its own log calls the job that it connected for; nil if it did not tell.
        public var job: String?

        /// A coordinator at `address`.
        public init(address: String, name: String, job: String? = nil) {
            (self.address, self.name, self.job) = (address, name, job)
        }

        /// Name and address.
        public var description: String { "\(name) at \(address)" }
    }

    /// What a node does now.
    public struct Status: Equatable, Sendable {
        /// Connected coordinators.
        public var connections = 0
        /// Tasks that run.
        public var running = 0
        /// Tasks that wait for a slot.
        public var queued = 0
        /// Tasks done since the start.
        public var done = 0
        /// Bytes of bulk that are kept.
        public var bulkBytes = 0

        /// Nothing is connected, runs or waits; so many tasks were done.
        public init(done: Int = 0) { self.done = done }

        init(connections: Int, running: Int, queued: Int, done: Int, bulkBytes: Int) {
            (self.connections, self.running, self.queued) = (connections, running, queued)
            (self.done, self.bulkBytes) = (done, bulkBytes)
        }
    }
}
