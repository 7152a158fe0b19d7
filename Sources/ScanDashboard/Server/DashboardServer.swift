internal import CDashboard
import Dispatch
public import ScanBasics
internal import ScanSockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An HTTP server for a dashboard: a page, its stream of events, `/metrics` and `/healthz`, for holders of its link.
///
/// libmicrohttpd runs on a thread of its own. It calls `answerRequest`, where ``AccessPolicy`` decides whether a
/// request is answered; the content comes from a ``DashboardSource``. A browser that opens `/events` becomes a watcher:
/// ``StreamState`` decides what it gets next, first a snapshot and then changes, which a timer collects from the source
/// every ``Options/interval``. ``ConnectionTable`` tells which connections have exceeded their time. ``close(within:)``
/// sends the last changes and stops the server.
public final class DashboardServer: Sendable {
    /// The address on which the server listens, with the actual port.
    public let address: SocketAddress
    /// The URL of the page, including the token.
    public let link: String
    let options: Options
    let policy: AccessPolicy
    let source: any DashboardSource
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "skyfarm.dashboard")
    private let start = ContinuousClock.now

    /// Limits of the server.
    public struct Options: Sendable {
        /// Maximum number of connections; 64 by default.
        public var connectionLimit = 64
        /// Maximum number of watchers; 32 by default.
        public var watcherLimit = 32
        /// Bytes of memory per connection, including the request headers; 16 KiB by default.
        public var connectionBytes = 16 << 10
        /// Bytes queued for a slow watcher before they are replaced by a new snapshot; 1 MiB by default.
        public var backlogBytes = 1 << 20
        /// Seconds within which a request must arrive; 5 by default.
        public var requestSeconds = 5.0
        /// Seconds within which an answer must be read; 60 by default.
        public var answerSeconds = 60.0
        /// Seconds after which a watcher that reads nothing is disconnected; 15 by default.
        public var idleSeconds = 15
        /// Seconds between two messages to watchers; 0.5 by default.
        public var interval = 0.5

        /// Creates the default limits.
        public init() {}
    }

    fileprivate struct State {
        // Opaque pointers of libmicrohttpd, used only under the lock.
        var daemon: OpaquePointer?
        var timer: (any DispatchSourceTimer)?
        var stream: StreamState
        var watchers: [StreamState.ID: OpaquePointer] = [:]
        var connections: ConnectionTable<OpaquePointer>
        var requests = 0
        /// When a browser last asked for a file or the stream, in seconds since the start; nil if none has.
        var lastVisit: Double?
        var lastBeat = 0.0
        /// Continuation of ``DashboardServer/close(within:)``: resumed once there are no connections, but not before
        /// `closing.least` and at the latest at `closing.most`.
        var onceQuiet: CheckedContinuation<Void, Never>?
        var closing = (least: 0.0, most: 0.0)
    }

    /// Starts the server.
    /// - Parameters:
    ///   - listen: the address; port 0 for any.
    ///   - source: the content.
    ///   - names: names of this machine, in addition to addresses and `localhost`.
    ///   - outside: the host in the link if the server listens on all addresses.
    ///   - token: the secret in the link; random by default.
    ///   - options: the limits.
    /// - Throws: ``AddressError`` or ``SocketError``, if the address cannot be listened on.
    public init(
        listen: SocketAddress, source: any DashboardSource, names: Set<String> = [],
        outside: String = "localhost", token: String = DashboardServer.randomToken(), options: Options = Options()
    ) throws {
        let (descriptor, address) = try ListeningSocket.open(on: listen)
        self.address = address
        self.source = source
        self.options = options
        policy = AccessPolicy(
            token: token, cookieName: "skyfarm_\(address.port)",
            names: names.union(listen.host.isEmpty ? [] : [listen.host]))
        let isOpen = ["::", "0.0.0.0"].contains(address.host)
        link = "http://\(isOpen ? SocketAddress(host: outside, port: address.port) : address)/?token=\(token)"
        state = Locked(
            State(
                stream: StreamState(watcherLimit: options.watcherLimit, backlogLimit: options.backlogBytes),
                connections: ConnectionTable(
                    requestSeconds: options.requestSeconds, answerSeconds: options.answerSeconds)))
        // The daemon is stopped before this object is released: in `close()`, or in `deinit`. Watchers retain the
        // object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard
            let daemon = dashboard_start(
                descriptor, UInt32(options.connectionLimit), options.connectionBytes, UInt32(options.idleSeconds),
                answerRequest, noteConnection, context)
        else {
            throw SocketError(operation: "serve on \(address)", errno: errno)
        }
        startTimer(daemon)
    }

    deinit { stop() }

    /// Returns 128 random bits as hexadecimal digits.
    public static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in (generator.next() as UInt64).hexadecimal }.joined()
    }

    /// Seconds since the server was started.
    public var age: Double { elapsed }

    /// The ``age`` at which a browser last asked for a file or the stream; nil if none has.
    public var lastVisit: Double? { state.withLock { $0.lastVisit } }

    /// Number of browsers that watch the stream.
    public var watcherCount: Int { state.withLock { $0.stream.count } }

    /// Total number of bytes queued for watchers.
    package var backlogBytes: Int { state.withLock { $0.stream.backlogBytes } }

    /// Sends the last changes, ends the streams and stops the server. Watchers have `seconds` to read the rest, and
    /// half a second to load files that the changes refer to.
    public func close(within seconds: Double = 5) async {
        // On the timer's queue, so that changes are sent in order.
        queue.sync { publishChanges() }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isEmpty = state.withLock { state in
                let waiting = state.stream.end()
                state.resume(waiting)
                guard state.stream.count > 0, state.daemon != nil else { return true }
                state.onceQuiet = continuation
                state.closing = (elapsed + min(0.5, seconds), elapsed + seconds)
                state.timer?.schedule(deadline: .now(), repeating: 0.05, leeway: .milliseconds(10))
                return false
            }
            if isEmpty { continuation.resume() }
        }
        stop()
    }

    private func stop() {
        let daemon = state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            // libmicrohttpd cannot end suspended connections.
            _ = state.stream.end()
            state.resume(Array(state.watchers.keys))
            defer { state.daemon = nil }
            return state.daemon
        }
        if let daemon { dashboard_stop(daemon) }
    }

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    // MARK: Time

    private func startTimer(_ daemon: OpaquePointer) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + options.interval, repeating: options.interval, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable [weak self] in self?.tick() }
        state.withLock { state in
            state.daemon = daemon
            state.timer = timer
        }
        timer.activate()
    }

    private func tick() {
        publishChanges()
        let now = elapsed
        let closing = state.withLock { state in
            for connection in state.connections.overdue(at: now) {
                // Done under the lock, which `left` takes before the socket is closed: the descriptor is still valid.
                shutdown(dashboard_descriptor(connection), Int32(SHUT_RDWR))
            }
            if now - state.lastBeat >= Double(options.idleSeconds) / 3 {
                state.lastBeat = now
                let idle = state.stream.beat(Array(":\n\n".utf8))
                state.resume(idle)
            }
            let isQuiet = state.stream.count == 0 && state.connections.count == 0 && now >= state.closing.least
            guard isQuiet || now >= state.closing.most else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.onceQuiet = nil }
            return state.onceQuiet
        }
        closing?.resume()
    }

    private func publishChanges() {
        guard watcherCount > 0, let changes = source.changes() else { return }
        let message = Self.event(changes)
        state.withLock { state in
            let waiting = state.stream.publish(message)
            state.resume(waiting)
        }
    }

    /// Formats a message of the stream as text/event-stream.
    private static func event(_ json: [UInt8]) -> [UInt8] { Array("data: ".utf8) + json + Array("\n\n".utf8) }

    // MARK: Connections

    func arrived(_ connection: OpaquePointer) {
        let now = elapsed
        state.withLock { $0.connections.arrive(connection, at: now) }
    }

    func left(_ connection: OpaquePointer) { state.withLock { $0.connections.leave(connection) } }

    /// Called when the headers of a request have arrived.
    func answering(_ connection: OpaquePointer) {
        let now = elapsed
        state.withLock { state in
            state.requests += 1
            state.connections.answer(connection, at: now)
        }
    }

    /// Called when a browser with the link asks for a file or the stream.
    func visited() {
        let now = elapsed
        state.withLock { $0.lastVisit = now }
    }

    /// The source's measurements together with those of the server.
    var metrics: PrometheusText {
        var text = source.metrics()
        let (watchers, requests) = state.withLock { ($0.stream.count, $0.requests) }
        text.add("skyfarm_dashboard_watchers", .gauge, "Browsers that watch the dashboard.", Double(watchers))
        text.add("skyfarm_dashboard_requests_total", .counter, "Requests to the dashboard.", Double(requests))
        return text
    }

    // MARK: Watchers

    /// Adds a watcher. Returns nil if there are too many.
    func join(_ connection: OpaquePointer) -> Watcher? {
        state.withLock { state in
            guard let id = state.stream.join() else { return nil }
            state.watchers[id] = connection
            state.connections.watch(connection)
            return Watcher(server: self, id: id)
        }
    }

    func leave(_ id: StreamState.ID) {
        state.withLock { state in
            state.stream.leave(id)
            state.watchers[id] = nil
            // Done under the lock, so that the next watcher's snapshot is taken afterwards.
            if state.stream.count == 0 { source.forget() }
        }
    }

    /// Fills `buffer` with the next bytes for a watcher.
    /// - Returns: the number of bytes; 0 if the watcher has to wait; -1 at the end.
    func read(_ id: StreamState.ID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let next = state.withLock { state in
                let next = state.stream.next(for: id, limit: buffer.count)
                // Done under the lock, so that the connection cannot be resumed before it is suspended.
                if next == .wait, let connection = state.watchers[id] { dashboard_suspend(connection) }
                return next
            }
            switch next {
            case .send(let bytes):
                buffer.copyBytes(from: bytes)
                return bytes.count
            case .makeSnapshot:
                let snapshot = Self.event(source.snapshot())
                state.withLock { $0.stream.provide(snapshot, to: id) }
            case .wait: return 0
            case .end: return -1
            }
        }
    }
}

extension DashboardServer.State {
    fileprivate func resume(_ ids: [StreamState.ID]) {
        for id in ids { if let connection = watchers[id] { dashboard_resume(connection) } }
    }
}

/// A browser that reads the stream.
final class Watcher: Sendable {
    // Retains the server until the daemon releases the watcher.
    private let server: DashboardServer
    private let id: StreamState.ID

    init(server: DashboardServer, id: StreamState.ID) {
        self.server = server
        self.id = id
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { server.read(id, into: buffer) }

    func leave() { server.leave(id) }
}
