import ScanCluster

/// One coordinator's connection to a node, with its tasks. Confined to the loop's thread.
final class NodeSession: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    /// Name and address of the coordinator; nil before its hello.
    private(set) var peer: CoordinatorInfo?
    var connection: Connection?
    let server: NodeServer
    private let lease: Lease
    /// Tasks that were taken and not answered yet.
    private(set) var tasks: [UInt64: NodeTask] = [:]
    private var batch: [any ScanWork] = []
    /// The scanner of the last task: most tasks of a connection have the same.
    private var scanner: Scanners.Scanner?
    private var refusal: String?
    /// Whether the log has that what a task referred to was not found here.
    private var hasToldUnreadable = false
    /// Why a task was last not taken.
    private var declined: String?
    /// What the log has of this connection, and of no other.
    private var log = RecentLines()
    private(set) var done = 0
    private(set) var cancelled = 0
    /// Its jobs, as far as their tasks name one.
    private(set) var jobs: Set<UInt64> = []

    /// Most jobs that are told apart.
    private static let jobLimit = 1000

    init(server: NodeServer, lease: Lease) {
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
        guard let scanner = find(task.scanner) else {
            let name = String(decoding: task.scanner, as: UTF8.self).printable
            return refuse(task, .unknownScanner, "knows no scanner '\(name)'", on: connection)
        }
        var bulk = task.bulk
        if bulk == nil, let key = task.key { bulk = server.cache.find(key, of: lease) }
        let referred = bulk == nil ? task.referred : nil
        if referred != nil, server.resolver == nil {
            return refuse(task, .bulkElsewhere, "reads no bulk bytes by itself", on: connection)
        }
        if bulk == nil, referred == nil, task.key != nil {
            return refuse(task, .bulkMissing, "does not keep the task's bulk bytes", on: connection)
        }
        let bulkBytes = task.bulk?.count ?? referred?.byteCount ?? 0
        switch server.admission.admit(bulk: bulkBytes) {
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
        if let key = task.key, jobs.count < Self.jobLimit { jobs.insert(key.job) }
        var isKept = false
        var lentBytes = 0
        if let key = task.key {
            if task.isLastUse {
                lentBytes = server.cache.lend(key, of: lease)
            } else if let sent = task.bulk {
                isKept = server.cache.keep(sent, as: key, of: lease)
            }
        }
        let taken = NodeTask(
            task, of: self, scanner: scanner, bulk: bulk, referred: referred, bulkBytes: bulkBytes,
            lentBytes: lentBytes, isKept: isKept)
        tasks[task.request] = taken
        batch.append(taken)
    }

    private func find(_ name: UnsafeRawBufferPointer) -> Scanners.Scanner? {
        if let scanner, scanner.isNamed(name) { return scanner }
        guard let found = server.scanners.find(name) else { return nil }
        scanner = found
        return found
    }

    private func refuse(
        _ task: TaskFrame, _ reason: RefusalReason, _ message: String, on connection: Connection
    ) {
        // A coordinator that believes bytes to be kept which are not is no event.
        if reason != .bulkMissing, message != declined {
            let scanner = String(decoding: task.scanner, as: UTF8.self).printable
            tell { .declined($0, scanner: scanner, reason: message) }
            declined = message
        }
        connection.send { $0.putRefusal(request: task.request, reason: reason, message: message) }
    }

    /// Writes a line of this connection into the log.
    private func tell(_ event: (NodeServer.Peer) -> NodeServer.Event) {
        guard let peer else { return }
        let event = event(named(peer))
        log.append("\(event)")
        server.onEvent(event)
    }

    private func named(_ peer: CoordinatorInfo) -> NodeServer.Peer {
        NodeServer.Peer(address: connection.map { "\($0.peer)" } ?? "unknown", name: peer.name, job: peer.job)
    }

    /// Sends what came of a task, unless nobody waits for it any more.
    func answer(_ task: NodeTask) {
        guard !task.isCancelled, tasks.removeValue(forKey: task.request) != nil, let peer, let outcome = task.outcome
        else { return }
        if case .elsewhere(let reason) = outcome { return sendBack(task.request, because: reason.printable) }
        done += 1
        var isKept = task.isBulkKept
        if let (key, bytes) = task.found { isKept = server.cache.keep(bytes, as: key, of: lease) }
        var outcomeToSend = outcome
        if case .output(let bytes) = outcome, bytes.count + FrameFormat.responseHeaderSize > peer.frameLimit {
            outcomeToSend = .failure("the result has \(bytes.count) bytes; the coordinator takes \(peer.frameLimit)")
        }
        let (body, succeeded) =
            switch outcomeToSend {
            case .output(let bytes): (bytes, true)
            case .failure(let cause), .elsewhere(let cause):
                (report(cause, of: task).encoded, false)
            }
        connection?.send { writer in
            body.withUnsafeBytes { body in
                writer.putResponse(
                    request: task.request, succeeded: succeeded, keptBulk: isKept, seconds: task.seconds,
                    body: body)
            }
        }
    }

    /// Asks for the bytes of a task that refers to some which are not here.
    private func sendBack(_ request: UInt64, because reason: String) {
        // Once: a coordinator does not go on referring to what is not here. And to this node's owner alone: what is in its
        // folders is none of the coordinator's business.
        if !hasToldUnreadable, let event = peer.map({ NodeServer.Event.unreadable(named($0), reason: reason) }) {
            server.onEvent(event)
            hasToldUnreadable = true
        }
        connection?.send {
            $0.putRefusal(request: request, reason: .bulkElsewhere, message: "does not find the bulk bytes by itself")
        }
    }

    /// The cause of a failure with what the log has had to say since the last one.
    private func report(_ cause: String, of task: NodeTask) -> FailureReport {
        tell {
            .failed(
                $0, scanner: task.scanner.name, attempt: Int(task.attempt), seconds: task.seconds,
                reason: String(cause.printable.prefix(FailureReport.lineLength)))
        }
        return FailureReport(cause: cause, log: log.take())
    }

    private func cancel(_ request: UInt64) {
        guard let task = tasks.removeValue(forKey: request) else { return }
        task.cancel()
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
            tell(NodeServer.Event.connected)
            server.welcomed()
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
        for task in tasks.values { task.cancel() }
        tasks = [:]
        server.cache.drop(lease)
        let address = connection?.peer ?? SocketAddress(host: "unknown", port: 0)
        if let peer {
            server.onEvent(
                .disconnected(
                    NodeServer.Peer(address: "\(address)", name: peer.name, job: peer.job), reason: error.message,
                    done: done, cancelled: cancelled))
        } else {
            server.tellRefused(address, refusal ?? error.message)
        }
        server.publish()
    }
}
