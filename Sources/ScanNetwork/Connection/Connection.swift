import ScanCluster
import ScanSecurity
import ScanSockets
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Serves one TCP connection: TLS, bytes in and out, heartbeats, and its end. Confined to the loop's thread.
package final class Connection: Flushable, @unchecked Sendable {
    // Sendable: touched only on the loop's thread, which `assertOnLoop` checks.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    /// The state of the connection.
    enum Phase {
        /// Both sides prove that they hold the cluster key. Goes to `greeting`, `lingering` or `closed`.
        case securing
        /// Hellos are exchanged. Goes to `open`, `lingering` or `closed`.
        case greeting
        /// Frames are exchanged. Goes to `lingering` or `closed`.
        case open
        /// The last bytes are sent, and the peer's are discarded until it closes, so that it can read them. Goes to
        /// `closed`.
        case lingering
        /// The socket is closed. Final.
        case closed
    }

    /// Bytes of unsent responses beyond which a node reads no more from their recipient.
    static let highWater = 4 << 20
    /// Bytes that fill a TLS record.
    private static let fullRecord = 16 << 10
    /// Bytes received in one turn of the loop before other connections have their turn.
    private static let turnLimit = 8 << 20
    /// The same beside other members: a new connection needs several turns until its first task starts.
    private static let sharedTurnLimit = 256 << 10

    let loop: EventLoop
    let peer: SocketAddress
    @exclusivity(unchecked) private(set) var phase = Phase.securing
    /// Called once the peer sent a valid proof of the key; it may be a replay.
    var recognised: (() -> Void)?
    /// Called once the peer has proved that it holds the key.
    var secured: (() -> Void)?
    /// Called when the socket takes no more bytes, and when it has taken those that waited.
    var becameFull: ((Bool) -> Void)?
    /// Called after waiting bytes were written.
    var progressed: (() -> Void)?
    /// Bytes that were taken from those that wait since the connection was made.
    private(set) var sentCount = 0
    var closed: (() -> Void)?
    private var delegate: (any ConnectionDelegate)?
    private let socket: Socket
    private var poll: SocketPoll?
    private var records: RecordLayer
    // These two keep their exclusivity checks, see Docs/Design.md, Layers.
    private var decoder: FrameDecoder
    private var out = OutQueue()
    @exclusivity(unchecked) private var isDirty = false
    /// The token of the last ping that is not answered yet, since the peer does not read.
    private var owedPong: UInt64?
    private var blocked = false { didSet { if blocked != oldValue { becameFull?(blocked) } } }
    /// The session may hold bytes that the socket's readiness does not show.
    @exclusivity(unchecked) private var hasMore = false
    private var isResuming = false
    private let pausesForSlowReader: Bool
    private let timing: ConnectionTiming
    private var liveness: Liveness
    private var timer: TimerID?

    /// Serves `socket` through `session`. The delegate is kept until the connection has ended. With
    /// `pausesForSlowReader`, nothing is read while too many bytes wait to be sent; only one side may do so, or both
    /// could wait for each other.
    /// - Throws: ``SocketError`` if the loop cannot watch the socket.
    init(
        loop: EventLoop, socket: Socket, session: any SecureSession, frameLimit: Int, timing: ConnectionTiming,
        pausesForSlowReader: Bool,
        delegate: any ConnectionDelegate
    ) throws {
        self.loop = loop
        self.socket = socket
        records = RecordLayer(session)
        self.timing = timing
        self.delegate = delegate
        self.pausesForSlowReader = pausesForSlowReader
        peer = socket.peerAddress
        decoder = FrameDecoder(limit: frameLimit)
        liveness = Liveness(timing: timing, now: loop.now)
        poll = try SocketPoll(loop: loop, descriptor: socket.descriptor) { [weak self] readable, writable in
            self?.ready(readable: readable, writable: writable)
        }
        timer = loop.schedule(at: loop.now.advanced(by: timing.handshake)) { [weak self] in
            self?.greetingTimedOut()
        }
        poll?.watch(read: true, write: false)
        if records.hasOutput { markDirty() }
    }

    /// The key that both sides hold; nil before they have proved it.
    var key: KeyFingerprint? { records.key }

    /// Whether both ends are on this machine: the peer has the address of this end.
    var isLocal: Bool { peer.host == socket.localAddress.host }

    /// Time from the last heartbeat to its answer.
    var roundTrip: Duration? { liveness.roundTrip }

    /// Bytes that wait to be written.
    var waitingCount: Int { out.waiting }

    /// Number of tasks whose bulk bytes are not all written.
    var waitingBulkCount: Int { out.bulkCount }

    /// Replaces the delegate, from the next frame on.
    func hand(to delegate: any ConnectionDelegate) { self.delegate = delegate }

    // MARK: Sending

    /// Appends frames. They are written after the work that is queued on the loop, and not before the peer has proved
    /// that it holds the key.
    func send(_ body: (inout ByteWriter) -> Void) {
        loop.assertOnLoop()
        guard phase == .securing || phase == .greeting || phase == .open else { return }
        out.append(body)
        markDirty()
        if out.waiting >= Self.fullRecord, phase == .open, !blocked { writeEarly() }
    }

    /// Writes full TLS records at once, so that the peer begins with them while this process appends the next. What stops
    /// it is left to ``flush()``, which follows: a caller of ``send(_:)`` does not expect the connection to end.
    private func writeEarly() {
        while records.hasOutput || out.waiting >= Self.fullRecord {
            if records.hasOutput {
                guard case .bytes = records.send(to: socket) else { return }
            } else {
                do { try seal() } catch { return }
            }
        }
    }

    /// Encrypts the next of the waiting bytes.
    private func seal() throws(TLSError) {
        let sealed = out.withPieces { pieces in Result { () throws(TLSError) in try records.seal(pieces) } }
        let count = try sealed.get()
        out.advance(by: count)
        sentCount += count
    }

    /// Appends bulk bytes to the frame that was sent last.
    func send(bulk: BulkBytes) {
        guard phase == .open else { return }
        out.append(bulk)
        markDirty()
    }

    /// Appends bulk bytes of a request in part frames, after the frame that was sent last.
    func send(bulk: BulkBytes, inPartsOf request: UInt64) {
        guard phase == .open else { return }
        out.append(bulk, inPartsOf: request)
        markDirty()
    }

    /// Removes what is not yet sent of the bulk bytes of a request.
    func removeParts(of request: UInt64) { out.removeParts(of: request) }

    /// See ``OutQueue/frontParts``.
    var frontParts: (request: UInt64, left: Int)? { out.frontParts }

    /// Seconds of a round trip, as the system measures it; nil if it does not.
    var socketRoundTrip: Double? { socket.roundTrip }
    /// Bytes that the other side has acknowledged: buffers on the way take more than a link carries.
    var deliveredCount: Int { sentCount - socket.unacknowledged }
    var deliveryRate: Double { socket.deliveryRate }
    var localAddress: SocketAddress { socket.localAddress }

    private func markDirty() {
        guard !isDirty, !blocked else { return }
        isDirty = true
        loop.markDirty(self)
    }

    /// Writes the waiting bytes, as far as the socket takes them.
    func flush() {
        isDirty = false
        while phase != .closed {
            if records.hasOutput {
                switch records.send(to: socket) {
                case .bytes:
                    // While nothing is read, a full socket that takes bytes again is the only sign of life. Otherwise
                    // it is no sign: the system takes bytes for a process that is stopped.
                    if blocked, pausesForSlowReader { liveness.sign(at: loop.turnStart) }
                case .wouldBlock:
                    blocked = true
                    watch()
                    progressed?()
                    return
                case .ended: return end(Self.peerClosed)
                case .failed(let error): return end(ConnectError(broken: error))
                }
            } else if records.isEstablished, out.waiting > 0 {
                do { try seal() } catch { return end(ConnectError(error)) }
            } else if phase != .lingering || !records.close() {
                break
            }
        }
        blocked = false
        if let token = owedPong {
            owedPong = nil
            send { $0.putPong(token) }
        }
        watch()
        progressed?()
        if phase == .lingering { shutdown(socket.descriptor, Int32(SHUT_WR)) }
    }

    var isPaused: Bool { pausesForSlowReader && out.waiting > Self.highWater }

    private func watch() {
        poll?.watch(read: !isPaused, write: blocked)
        guard hasMore, !isPaused, !isResuming else { return }
        isResuming = true
        // After the sockets of other connections had their turn.
        _ = loop.schedule(at: loop.now) { [weak self] in self?.resume() }
    }

    // MARK: Receiving

    private func ready(readable: Bool, writable: Bool) {
        if writable, blocked { flush() }
        if readable { receive() }
    }

    private func resume() {
        isResuming = false
        if hasMore, !isPaused { receive() }
    }

    private func receive() {
        var budget = loop.openConnections > 1 ? Self.sharedTurnLimit : Self.turnLimit
        hasMore = phase != .closed
        while hasMore, budget > 0 {
            if phase == .lingering {
                discard()
                break
            }
            budget -= receive(atMost: budget)
            hasMore = hasMore && phase != .closed
        }
        delegate?.readBatchEnded()
        if hasMore { watch() }
    }

    /// Receives what fits into the next piece of memory, and clears `hasMore` if that was all.
    /// - Returns: the number of bytes.
    private func receive(atMost limit: Int) -> Int {
        let space = UnsafeMutableRawBufferPointer(rebasing: decoder.space().prefix(limit))
        let outcome = Result { () throws(TLSError) in try records.receive(from: socket, into: space) }
        if phase == .securing, records.isRecognised {
            recognised?()
            recognised = nil
            if records.isEstablished { becomeSecured() }
        }
        if records.hasOutput { markDirty() }
        switch outcome {
        case .success(.bytes(let count)):
            hasMore = count == space.count || records.isOver
            liveness.sign(at: loop.turnStart)
            decoder.received(count)
            process()
            return count
        case .success(.wouldBlock): hasMore = false
        case .success(.ended):
            let greetingEnd = phase == .greeting ? delegate?.greetingEnded(decoder.waiting) : nil
            end(greetingEnd ?? Self.peerClosed)
        case .success(.failed(let error)): end(ConnectError(broken: error))
        case .failure(let error): end(ConnectError(error), politely: true)
        }
        return 0
    }

    /// Discards bytes that arrive after the last frame: they need not be decrypted.
    private func discard() {
        hasMore = false
        let result = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { socket.receive(into: $0) }
        switch result {
        case .bytes, .wouldBlock: break
        case .ended, .failed: end(Self.peerClosed)
        }
    }

    private func becomeSecured() {
        phase = .greeting
        secured?()
        secured = nil
        // The bytes to send waited for this.
        markDirty()
    }

    private func process() {
        if phase == .greeting {
            guard let step = delegate?.greet(decoder.waiting, on: self), phase == .greeting else { return }
            switch step {
            case .wait: return
            case .open(let consumed):
                decoder.skip(consumed)
                opened()
            case .end(let error): return end(error, politely: true)
            }
        }
        do {
            while phase == .open, let frame = try decoder.next() { try handle(frame) }
        } catch {
            send { $0.putGoodbye(draining: false, message: "\(error)") }
            end(ConnectError(.disconnected, "\(error)"), politely: true)
        }
    }

    private func handle(_ frame: Frame) throws(ProtocolError) {
        switch frame {
        case .ping(let token):
            // A peer that sends pings and reads no answer must not fill the memory with them.
            if blocked { owedPong = token } else { send { $0.putPong(token) } }
        case .pong(let token): liveness.pong(token, at: loop.now)
        case .task, .response, .refusal, .cancel, .goodbye, .call, .reply, .weight, .report:
            try delegate?.received(frame, on: self)
        }
    }

    // MARK: Heartbeats

    private func opened() {
        phase = .open
        loop.openConnections += 1
        if let timer { loop.cancel(timer) }
        liveness = Liveness(timing: timing, now: loop.now)
        tick()
    }

    private func tick() {
        guard phase == .open else { return }
        var action = liveness.check(at: loop.now)
        if action == .lost {
            // This process may have been stopped itself: bytes that arrived in the meantime count.
            receive()
            guard phase == .open else { return }
            action = liveness.check(at: loop.now)
        }
        switch action {
        case .ping(let token): send { $0.putPing(token) }
        case .wait: break
        case .lost: return end(ConnectError(.disconnected, "has been silent for \(timing.silence.words)"))
        }
        timer = loop.schedule(at: liveness.nextCheck) { [weak self] in self?.tick() }
    }

    private func greetingTimedOut() {
        if phase == .securing {
            let limit = timing.handshake.words
            return end(
                ConnectError(.notANode, "did not finish the TLS handshake within \(limit): it is busy, or no Skyfarm"))
        }
        guard phase == .greeting, let delegate else { return }
        end(delegate.greetingTimedOut(after: timing.handshake, on: self), politely: true)
    }

    // MARK: The end

    private static let peerClosed = ConnectError(.lost, "closed the connection")

    /// Ends the connection and reports the reason to the delegate. If `politely`, sends the waiting bytes first, and
    /// gives the peer a heartbeat's time to read them.
    func end(_ error: ConnectError, politely: Bool = false) {
        loop.assertOnLoop()
        guard phase != .closed else { return }
        if let timer { loop.cancel(timer) }
        if phase == .open { loop.openConnections -= 1 }
        let delegate = delegate
        self.delegate = nil
        if politely, phase != .lingering {
            phase = .lingering
            timer = loop.schedule(at: loop.now.advanced(by: timing.heartbeat)) { self.end(Self.peerClosed) }
            markDirty()
        } else {
            phase = .closed
            blocked = false
            timer = nil
            poll?.close()
            poll = nil
            socket.close()
            // The waiting bytes, which may be many, can no longer be sent.
            out = OutQueue()
        }
        delegate?.ended(error)
        if phase == .closed {
            closed?()
            closed = nil
        }
    }
}
