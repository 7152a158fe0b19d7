import ScanCluster
import ScanSecurity
import ScanSockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes one attempt to connect to a node: looks names up, tries all addresses in order, proves that it holds a key,
/// and exchanges hellos. Confined to the loop. Its own callbacks retain it until it ends.
final class Dialer: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    private let loop: EventLoop
    private let target: Target
    private let keys: [ClusterKey]
    private let timing: ConnectionTiming
    private var info: CoordinatorInfo
    private let sessions: SessionMaker
    private let handshake = ClientHandshake()
    private var completion: ((Result<(NodeInfo, Connection), ConnectError>) -> Void)?
    /// The candidates not tried yet, the next one last.
    private var remaining: [Candidate] = []
    private var candidate: Candidate?
    private var failure: ConnectError?
    private var attempt: (socket: Socket, poll: SocketPoll, timer: TimerID)?
    private var connection: Connection?

    /// The location of a node.
    enum Target {
        /// A host's name or address, to be looked up at each attempt.
        case host(SocketAddress)
        /// Addresses, the most promising first.
        case addresses([RawAddress])

        /// The addresses if all are numeric, else the first host.
        init(_ addresses: [SocketAddress]) {
            let numeric = addresses.compactMap { RawAddress(numeric: $0) }
            self =
                numeric.count == addresses.count
                ? .addresses(numeric) : .host(addresses.first ?? SocketAddress(host: "", port: 0))
        }
    }

    /// An address, and the keys to offer there, one per connection.
    private struct Candidate {
        var address: RawAddress
        var keys: ArraySlice<ClusterKey>
    }

    /// Offers `keys` in this order, each further one only to a node that refused the one before. `completion` is called
    /// once, on the loop's thread, unless the attempt is cancelled.
    init(
        loop: EventLoop, target: Target, keys: [ClusterKey], info: CoordinatorInfo, timing: ConnectionTiming,
        sessions: SessionMaker = .tls,
        completion: @escaping (Result<(NodeInfo, Connection), ConnectError>) -> Void
    ) {
        self.loop = loop
        self.target = target
        self.keys = keys
        self.info = info
        self.info.takesReports = true
        self.sessions = sessions
        self.timing = timing
        self.completion = completion
    }

    func start() {
        switch target {
        case .host(let address): lookUp(address)
        case .addresses(let addresses):
            plan(addresses)
            // Never from inside this call.
            loop.execute { self.tryNext() }
        }
    }

    private func plan(_ addresses: [RawAddress]) {
        remaining = addresses.reversed().map { Candidate(address: $0, keys: keys[...]) }
    }

    private func lookUp(_ address: SocketAddress) {
        Resolver.resolve(address, on: loop) { [self] outcome in
            switch outcome {
            case .addresses(let addresses):
                plan(addresses)
                tryNext()
            case .failed(let reason):
                finish(.failure(ConnectError(.unreachable, "the name '\(address.host)' cannot be resolved: \(reason)")))
            }
        }
    }

    func cancel() {
        completion = nil
        endAttempt()
        connection?.end(ConnectError(.lost, "was disconnected by this program"))
        connection = nil
    }

    private func finish(_ result: Result<(NodeInfo, Connection), ConnectError>) {
        let completion = completion
        self.completion = nil
        connection = nil
        completion?(result)
    }

    // MARK: Connecting

    private func tryNext() {
        guard completion != nil else { return }
        candidate = remaining.popLast()
        guard let candidate else {
            return finish(.failure(failure ?? ConnectError(.unreachable, "has no address")))
        }
        do {
            let socket = try Socket.connecting(to: candidate.address)
            let poll = try SocketPoll(loop: loop, descriptor: socket.descriptor) { [self] _, _ in connected() }
            let timer = loop.schedule(at: loop.now.advanced(by: timing.connect)) { [self] in
                failed(
                    ConnectError(
                        .unreachable,
                        "did not answer within \(timing.connect.words); is the machine up and the port open?"))
            }
            attempt = (socket, poll, timer)
            poll.watch(read: false, write: true)
        } catch {
            failed(ConnectError(.unreachable, "\(error)"))
        }
    }

    private func connected() {
        guard let socket = attempt?.socket, let key = candidate?.keys.first else { return }
        let status = socket.connectStatus
        guard status == 0 else {
            let hint = status == ECONNREFUSED ? "; is 'skyfarm node' running there?" : ""
            return failed(
                ConnectError(.unreachable, "cannot be reached: \(SocketError.text(status).lowercased())\(hint)"))
        }
        endAttempt()
        do {
            let connection = try Connection(
                loop: loop, socket: socket, session: sessions.client(key), frameLimit: info.frameLimit,
                timing: timing, pausesForSlowReader: false, delegate: self)
            self.connection = connection
            let greeting = try handshake.greeting(info)
            connection.send { writer in greeting.withUnsafeBytes { writer.put(raw: $0) } }
        } catch {
            failed(ConnectError(.unreachable, "\(error)"))
        }
    }

    private func endAttempt() {
        guard let attempt else { return }
        loop.cancel(attempt.timer)
        attempt.poll.close()
        self.attempt = nil
    }

    private func failed(_ error: ConnectError) {
        endAttempt()
        if error.code == .authentication, var other = candidate, other.keys.popFirst() != nil, !other.keys.isEmpty {
            remaining.append(other)
        }
        // An error of a peer that answered is reported rather than that of an address that did not.
        if failure == nil || failure?.code == .unreachable { failure = error }
        tryNext()
    }
}

extension Dialer: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep {
        switch handshake.received(bytes) {
        case .wait: return .wait
        case .failed(let error): return .end(error)
        case .open(let node, _, let consumed):
            finish(.success((node, connection)))
            return .open(consumed: consumed)
        }
    }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError { handshake.ended(bytes) }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError {
        handshake.timedOut(after: limit)
    }

    func received(_ frame: Frame, on connection: Connection) {}

    func readBatchEnded() {}

    func ended(_ error: ConnectError) {
        connection = nil
        failed(error)
    }
}
