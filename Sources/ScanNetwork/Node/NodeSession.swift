import ScanCluster

/// One coordinator's connection to a node, with its tasks. Confined to the loop's thread.
final class NodeSession: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    /// Name and address of the coordinator; nil before its hello.
    private(set) var peer: CoordinatorInfo?
    var connection: Connection?
    private let server: NodeServer
    private let lease: AdmissionState.Lease
    private var tasks: [UInt64: ScanCancellation] = [:]
    private var batch: [ScanJob] = []
    private var refusal: String?
    private var done = 0
    private var cancelled = 0

    init(server: NodeServer, lease: AdmissionState.Lease) {
        self.server = server
        self.lease = lease
    }

    /// Announces that the node takes no more tasks.
    func sayGoodbye() {
        guard connection?.phase == .open else { return }
        connection?.send { $0.putGoodbye(draining: true, message: "the node is draining") }
    }

    // MARK: Tasks

    private func received(_ task: TaskFrame, on connection: Connection) throws(ProtocolError) {
        guard tasks[task.request] == nil else { throw ProtocolError("request \(task.request) was sent twice") }
        guard let run = server.scanners.find(task.scanner) else {
            let name = String(decoding: task.scanner, as: UTF8.self).printable
            return refuse(task, .unknownScanner, "knows no scanner '\(name)'", on: connection)
        }
        var bulk = task.bulk
        if bulk == nil, let key = task.key {
            bulk = server.cache.find(key, of: lease)
            if bulk == nil { return refuse(task, .bulkMissing, "does not keep the task's bulk bytes", on: connection) }
        }
        switch server.admission.admit(lease, bulk: task.bulk?.count ?? 0) {
        case .run: break
        case .refuse(.draining): return refuse(task, .draining, "is draining", on: connection)
        case .refuse(let reason):
            let state = server.admission
            let message =
                state.isFull
                ? "has a full queue of \(state.queueLimit) tasks"
                : "has a queue full of \(state.bulkBytes) bytes, and takes \(state.bulkLimit)"
            return refuse(task, reason, message, on: connection)
        }
        var isKept = false
        if let sent = task.bulk, let key = task.key { isKept = server.cache.keep(sent, as: key, of: lease) }
        start(task, run, ScanContext(bulk: bulk, cancellation: cancellation(task.request)), keptBulk: isKept)
    }

    private func cancellation(_ request: UInt64) -> ScanCancellation {
        let cancellation = ScanCancellation()
        tasks[request] = cancellation
        return cancellation
    }

    private func start(_ task: TaskFrame, _ run: @escaping Scanners.Run, _ context: ScanContext, keptBulk: Bool) {
        let bytes = [UInt8](task.task)
        let (server, lease, request, clock) = (server, lease, task.request, server.loop)
        let bulkBytes = task.bulk?.count ?? 0
        batch.append(
            ScanJob(context: context) { context in
                let (outcome, seconds) = run(bytes, context, clock)
                server.finish(
                    FinishedTask(
                        lease: lease, request: request, keptBulk: keptBulk, bulkBytes: bulkBytes, outcome: outcome,
                        seconds: seconds))
            } skipped: {
                server.finish(
                    FinishedTask(
                        lease: lease, request: request, keptBulk: false, bulkBytes: bulkBytes, outcome: nil,
                        seconds: 0))
            })
    }

    private func refuse(
        _ task: TaskFrame, _ reason: RefusalReason, _ message: String, on connection: Connection
    ) {
        connection.send { $0.putRefusal(request: task.request, reason: reason, message: message) }
    }

    /// Sends what came of a task, unless nobody waits for it any more.
    func answer(_ task: FinishedTask) {
        guard tasks.removeValue(forKey: task.request) != nil, let peer, let outcome = task.outcome else { return }
        done += 1
        var outcomeToSend = outcome
        if case .output(let bytes) = outcome, bytes.count + FrameFormat.responseHeaderSize > peer.frameLimit {
            outcomeToSend = .failure("the result has \(bytes.count) bytes; the coordinator takes \(peer.frameLimit)")
        }
        connection?.send { writer in
            let (body, succeeded) =
                switch outcomeToSend {
                case .output(let bytes): (bytes, true)
                case .failure(let message): (Array(message.utf8.prefix(FrameFormat.responsesFailureLimit)), false)
                }
            body.withUnsafeBytes { body in
                writer.putResponse(
                    request: task.request, succeeded: succeeded, keptBulk: task.keptBulk, seconds: task.seconds,
                    body: body)
            }
        }
    }

    private func cancel(_ request: UInt64) {
        guard let cancellation = tasks.removeValue(forKey: request) else { return }
        cancellation.cancel()
        cancelled += 1
    }
}

extension NodeSession: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep {
        take(server.handshake.received(bytes), on: connection)
    }

    private func take(_ outcome: ServerHandshake.Outcome, on connection: Connection) -> GreetingStep {
        switch outcome {
        case .wait: return .wait
        case .open(let peer, let reply, let consumed):
            self.peer = peer
            connection.send { writer in reply.withUnsafeBytes { writer.put(raw: $0) } }
            server.onEvent(.connected(peer: "\(connection.peer)", name: peer.name))
            server.publish()
            return .open(consumed: consumed)
        case .refuse(let reply, let reason):
            refusal = reason
            connection.send { writer in reply.withUnsafeBytes { writer.put(raw: $0) } }
            return .end(ScanError(.refused, reason))
        }
    }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ScanError {
        ScanError(.systemLost, "closed the connection without a hello")
    }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ScanError {
        if case .end(let error) = take(server.handshake.timedOut(after: limit), on: connection) { return error }
        return ScanError(.timedOut, "sent no hello within \(limit.words)")
    }

    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError) {
        switch frame {
        case .task(let task): try received(task, on: connection)
        case .cancel(let request): cancel(request)
        case .goodbye: break
        case .response, .refusal, .ping, .pong: throw ProtocolError("a coordinator sent a node's frame")
        }
    }

    func readBatchEnded() {
        guard !batch.isEmpty else { return }
        server.submit(batch)
        batch.removeAll(keepingCapacity: true)
    }

    func ended(_ error: ScanError) {
        // The lease ends with the connection: nobody waits for these tasks any more.
        readBatchEnded()
        cancelled += tasks.count
        for cancellation in tasks.values { cancellation.cancel() }
        tasks = [:]
        server.cache.drop(lease)
        let address = connection?.peer ?? SocketAddress(host: "unknown", port: 0)
        if let peer {
            server.onEvent(
                .disconnected(
                    peer: "\(address)", name: peer.name, reason: error.message, done: done, cancelled: cancelled))
        } else {
            server.tellRefused(address, refusal ?? error.message)
        }
        server.publish()
    }
}
