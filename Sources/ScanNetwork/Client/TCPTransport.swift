package import ScanCluster

/// Carries attempts over one connection to a node, many at a time. Confined to the loop's thread.
package final class TCPTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the loop's thread, on which the system that owns the transport runs.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    /// A struct: a closure as a generic argument would be allocated again at each use.
    struct Completion {
        let call: AttemptCompletion
    }

    package let node: NodeInfo
    let connection: Connection
    let encoder = WireEncoder()
    @exclusivity(unchecked) var state: State<Completion>
    /// Nil: bulk bytes are not compressed.
    let compressor: BulkCompressor?
    var queue: LinkQueue
    /// The requests of the queue.
    var held: [UInt64: AttemptRequest] = [:]
    var rate = LinkRate()
    /// When the probe of the link was sent, and the bytes that were delivered before.
    var probeStart: (instant: Instant, delivered: Int)?
    private let onTraffic: (BulkTraffic) -> Void
    /// Called with what is known of the link, when that has changed.
    let onLink: (Systems.State.LinkReport) -> Void
    /// Requests whose bulk bytes are being sent in parts, in that order, with the tickets of their attempts.
    var sending: [(request: UInt64, ticket: UInt64)] = []
    private let onReport: (BulkReport) -> Void
    private let onDraining: () -> Void
    /// Called with what a task reports that runs on the node.
    private var onTaskReport: (AttemptHandle, TaskReport) -> Void = { _, _ in }
    private let onEnd: (ConnectError) -> Void

    /// Takes over an open connection. `packed`: the form in which this process packs bulk bytes. `compressor`: compresses
    /// them; nil: nothing does. `onTraffic`: attempts got their bulk bytes. `onReport`: the node reported what it read by a
    /// reference. `onLink`: bulk bytes were written, or the link was measured. `onFull`: the socket takes no more
    /// bytes, or all again; not called for a node on this machine. `onDraining`: the node takes no more tasks but
    /// finishes those it has. `onEnd`: the connection has ended, and attempts in flight have been completed.
    init(
        node: NodeInfo, packed: String? = nil, compression: LinkQueue.Use = .asMeasured,
        compressor: BulkCompressor? = nil, connection: Connection,
        onTraffic: @escaping (BulkTraffic) -> Void = { _ in },
        onReport: @escaping (BulkReport) -> Void = { _ in },
        onLink: @escaping (Systems.State.LinkReport) -> Void = { _ in }, onFull: @escaping (Bool) -> Void = { _ in },
        onDraining: @escaping () -> Void, onEnd: @escaping (ConnectError) -> Void
    ) {
        self.node = node
        state = State(
            node: node, packed: packed, compresses: compressor != nil,
            isLocal: connection.isLocal && compression != .always)
        queue = LinkQueue(compression)
        self.compressor = compressor
        self.connection = connection
        (self.onTraffic, self.onReport, self.onDraining) = (onTraffic, onReport, onDraining)
        (self.onLink, self.onEnd) = (onLink, onEnd)
        // A node on this machine that does not read is no full link.
        if !connection.isLocal {
            connection.becameFull = { [weak self] isFull in
                self?.linkBecame(isFull: isFull)
                onFull(isFull)
            }
        }
        connection.hand(to: self)
    }

    var roundTrip: Duration? { connection.roundTrip }

    package func payloads(of source: BulkSource) -> [Payload] { state.payloads(of: source) }

    package func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        connection.loop.assertOnLoop()
        do {
            // The phase first: a computed property of the state would copy all of it.
            if case .open = state.phase {} else if let refusal = state.refusal { throw refusal }
            return AttemptHandle(rawValue: try send(attempt, completion))
        } catch {
            // `completion` is never called from inside this call; the handle names no request.
            connection.loop.execute {
                let lost = (error as? ScanError).map { AttemptOutcome.error($0) }
                completion(lost ?? .failed("the task cannot be sent: \(String(words: error))"), nil)
            }
            return AttemptHandle(rawValue: .max)
        }
    }

    private func send(_ attempt: AttemptRequest, _ completion: @escaping AttemptCompletion) throws -> UInt64 {
        let (request, isHeld) = try encoder.encode(attempt.task) { bytes in
            let typeName = type(of: attempt.task).typeName
            let size = ByteWriter.taskSize(typeName: typeName, task: bytes.count, bulk: attempt.bulk)
            guard size <= node.frameLimit else {
                throw WireError("it has \(size) bytes, and the node accepts \(node.frameLimit)")
            }
            guard typeName.utf8.count <= 255 else { throw WireError("the name of its type is too long") }
            let (request, reference) = state.start(
                attempt, task: checksum(bytes), completion: Completion(call: completion))
            // Seldom more than a look at the attempt: a call of the state may copy all of it.
            let isHeld = attempt.numberSize != nil && reference == nil && state.waits(attempt)
            if !isHeld { put(attempt, typeName, bytes, as: request, reference) }
            return (request, isHeld)
        }
        if isHeld { hold(request, attempt) }
        return request
    }

    /// Inlined: a call would copy all of the attempt.
    @inline(__always)
    func put(
        _ attempt: AttemptRequest, _ typeName: String, _ task: UnsafeRawBufferPointer, as request: UInt64,
        _ reference: BulkReference?
    ) {
        let isParted = reference == nil && node.takesParts == true && (attempt.bulk?.count ?? 0) > FrameFormat.partSize
        connection.send {
            $0.putTask(
                request: request, attempt: UInt32(clamping: attempt.number), typeName: typeName, task: task,
                key: attempt.bulkKey, isLastUse: node.takesLastUse(of: attempt), bulk: attempt.bulk,
                reference: reference, referredCount: attempt.referredCount, isParted: isParted)
        }
        guard reference == nil, let bulk = attempt.bulk else {
            if attempt.ticket > 0 { onLink(.init(transfer: (attempt.ticket, 0))) }
            return
        }
        if isParted {
            connection.send(bulk: bulk, inPartsOf: request)
            watch(request, attempt.ticket, bulk.count)
        } else {
            connection.send(bulk: bulk)
            if attempt.ticket > 0 { onLink(.init(transfer: (attempt.ticket, 0))) }
        }
        if let traffic = state.takeTraffic() { onTraffic(traffic) }
    }

    package func cancel(_ handle: AttemptHandle) {
        connection.loop.assertOnLoop()
        guard state.cancel(handle.rawValue) else { return }
        guard held.removeValue(forKey: handle.rawValue) == nil else {
            queue.remove(handle.rawValue)
            return advance()
        }
        stopSending(handle.rawValue)
    }

    /// Tells the node that a request is cancelled, and sends no more of its bulk bytes.
    func stopSending(_ request: UInt64) {
        sending.removeAll { $0.request == request }
        connection.removeParts(of: request)
        connection.send { $0.putCancel(request: request) }
    }

    /// Has `system`, to which the transport belongs, take what tasks report.
    func passReports(to system: ScanSystem) {
        onTaskReport = { [weak system] request, report in
            system?.assumeIsolated { $0.reported([(request.rawValue, report)]) }
        }
    }

    /// Tells the node the coordinator's weight from now on, if the node understands that.
    func use(weight: Double) {
        connection.loop.assertOnLoop()
        guard node.changesWeight == true else { return }
        connection.send { $0.putWeight(weight) }
    }

    package func close() {
        connection.send { $0.putGoodbye(draining: false, message: "done") }
        connection.end(ConnectError(.lost, "was disconnected by this program"), politely: true)
    }
}

extension TCPTransport: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep { .wait }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError {
        ConnectError(.lost, "closed the connection")
    }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError {
        ConnectError(.lost, "was silent for \(limit.words)")
    }

    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError) {
        let action = try state.received(frame)
        if let traffic = state.takeTraffic() { onTraffic(traffic) }
        if let report = state.takeReport() { onReport(report) }
        switch action {
        case .none: break
        case .complete(let completion, let outcome, let output): completion.call(outcome, output)
        case .report(let request, let report): onTaskReport(request, report)
        case .leave:
            withdrawHeld()
            onDraining()
        }
        if !held.isEmpty { advance() }
    }

    func readBatchEnded() {}

    func ended(_ error: ConnectError) {
        (held, queue, sending) = ([:], LinkQueue(.never), [])
        connection.progressed = nil
        let end = state.end(error)
        // First: whoever hears of the attempts may ask whether the node has left.
        onEnd(end.loss)
        for completion in end.waiting { completion.call(.error(end.reply), nil) }
    }
}
