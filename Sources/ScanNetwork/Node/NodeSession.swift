import ScanCluster

/// One connection to a node: performs what ``State`` decides. Confined to the loop's thread.
package final class NodeSession: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    @exclusivity(unchecked) var state: State<TakenTask>
    var connection: Connection?
    let server: NodeServer
    let id: ConnectionID
    private(set) var weight = 1.0 {
        // Tasks are made while `state` is being changed: what they need is not read from there.
        didSet { state.weight = weight }
    }
    /// What its tasks report.
    let reports = ReportBuffer()
    /// Whether the coordinator understands that.
    private(set) var takesReports = false
    /// Whether the connection ends once its tasks have, since the node was paused.
    private(set) var isLeaving = false
    @exclusivity(unchecked) private var batch: [TakenTask] = []
    /// The type of the last task: most tasks of a connection have the same.
    private var taskType: TaskTypes.Entry?

    init(server: NodeServer, id: ConnectionID) {
        self.server = server
        self.id = id
        state = State(id)
    }

    /// Announces that the node takes no more tasks.
    func sayGoodbye(_ message: String = "the node is draining") {
        guard state.isOpen, connection?.phase == .open else { return }
        connection?.send { $0.putGoodbye(draining: true, message: message) }
    }

    /// Begins to leave because the node is paused: gives back what waits.
    /// - Returns: the number of tasks that were given back.
    func pause(_ reason: String) -> Int {
        isLeaving = true
        sayGoodbye("the node is paused: \(reason)")
        let count = giveBack(begun: false)
        leaveIfIdle()
        return count
    }

    /// Gives tasks back to the coordinator, in order, as if they had not been sent; only those whose scans have not
    /// begun unless `begun`.
    /// - Returns: their number.
    func giveBack(begun: Bool) -> Int {
        let tasks = state.takeBack { begun || !$0.hasBegun }
        for task in tasks {
            task.cancel()
            connection?.send {
                $0.putRefusal(request: task.request, reason: .draining, message: "gave the task back: it is paused")
            }
        }
        return tasks.count
    }

    /// Ends the connection of a node that was paused, once all tasks are answered or given back.
    func leaveIfIdle() {
        guard isLeaving, state.isOpen, state.inFlight == 0 else { return }
        connection?.end(ConnectError(.lost, "was disconnected by this node, which is paused"), politely: true)
    }

    // MARK: Tasks

    private func received(_ task: TaskFrame, on connection: Connection) throws(ProtocolError) {
        let taskType = find(task.typeName)
        let action = try state.received(task, isKnown: taskType != nil, on: &server.resources) { grant in
            guard let taskType else { preconditionFailure("a task of an unknown type was taken") }
            return TakenTask(task, of: self, taskType: taskType, grant: grant)
        }
        switch action {
        case .run(let task): batch.append(task)
        case .refuse(let reason, let message, let event):
            report(event)
            connection.send { $0.putRefusal(request: task.request, reason: reason, message: message) }
        }
    }

    private func find(_ name: UnsafeRawBufferPointer) -> TaskTypes.Entry? {
        if let taskType, taskType.isNamed(name) { return taskType }
        guard let found = server.taskTypes.find(name) else { return nil }
        taskType = found
        return found
    }

    private func report(_ event: NodeServer.Event?) {
        if let event { server.onEvent(event) }
    }

    /// Sends what tasks report that run, unless the coordinator is slow to read.
    func send(_ reports: [(task: UInt64, report: TaskReport)]) {
        for (request, report) in reports where state.isPending(request) && connection?.isPaused == false {
            connection?.send { $0.putReport(request: request, report) }
        }
    }

    /// A task has ended: frees its room, and answers it unless its requester has cancelled it.
    func ended(_ task: TakenTask) {
        server.release(task)
        send(reports.take(of: task.request).map { (task.request, $0) })
        switch state.ended(task, on: &server.resources) {
        case .nothing: break
        case .output(let bytes, let keptBulk): respond(to: task, succeeded: true, keptBulk: keptBulk, bytes)
        case .failure(let failure, let keptBulk, let event):
            report(event)
            respond(to: task, succeeded: false, keptBulk: keptBulk, failure.encoded)
        case .requestBulk(let message, let event):
            report(event)
            connection?.send { $0.putRefusal(request: task.request, reason: .bulkElsewhere, message: message) }
        }
    }

    private func respond(to task: TakenTask, succeeded: Bool, keptBulk: Bool, _ body: [UInt8]) {
        connection?.send { writer in
            body.withUnsafeBytes { body in
                var response = ResponseFrame(
                    request: task.request, identity: task.identity, succeeded: succeeded, keptBulk: keptBulk,
                    seconds: task.seconds, body: body)
                response.bulkChecksum = task.readChecksum
                writer.putResponse(response)
            }
        }
    }
}

extension NodeSession: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep {
        perform(server.handshake.received(bytes), on: connection)
    }

    private func perform(_ outcome: ServerHandshake.Outcome, on connection: Connection) -> GreetingStep {
        switch outcome {
        case .wait: return .wait
        case .open(let coordinator, let reply, let consumed):
            connection.send { writer in reply.withUnsafeBytes { writer.put(raw: $0) } }
            if coordinator.calls == true, server.options.onCall != nil {
                state.openedForCalls(by: coordinator, at: "\(connection.peer)")
                return .open(consumed: consumed)
            }
            weight = coordinator.weight ?? 1
            takesReports = coordinator.takesReports == true
            report(state.opened(by: coordinator, at: "\(connection.peer)"))
            server.opened(id)
            return .open(consumed: consumed)
        case .obey(let order, let coordinator):
            do {
                let reply = try server.obey(order, of: coordinator, at: "\(connection.peer)")
                state.answered()
                connection.send { writer in reply.withUnsafeBytes { writer.put(raw: $0) } }
                return .end(ConnectError(.refused, "was answered"))
            } catch {
                return .end(ConnectError(.refused, "sent an order that cannot be carried out: \(error)"))
            }
        case .refuse(let reply, let reason):
            state.refused(reason)
            connection.send { writer in reply.withUnsafeBytes { writer.put(raw: $0) } }
            return .end(ConnectError(.refused, reason))
        }
    }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError {
        ConnectError(.lost, "closed the connection without a hello")
    }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError {
        if case .end(let error) = perform(server.handshake.timedOut(after: limit), on: connection) { return error }
        return ConnectError(.disconnected, "sent no hello within \(limit.words)")
    }

    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError) {
        switch frame {
        case .task(let task): try received(task, on: connection)
        case .cancel(let request): state.cancel(request)?.cancel()
        case .goodbye(_, let message): state.goodbye = message.printable
        case .call(let call): try received(call)
        case .weight(let weight):
            guard state.isOpen else { throw ProtocolError("a weight on a connection for calls") }
            self.weight = CoordinatorInfo.accepted(weight)
        case .response, .refusal, .ping, .pong, .reply, .report:
            throw ProtocolError("a coordinator sent a node's frame")
        }
    }

    func readBatchEnded() {
        guard !batch.isEmpty else { return }
        // With one wake-up for all.
        server.system.assumeIsolated { [batch] in $0.run(batch) }
        server.publish()
        batch.removeAll(keepingCapacity: true)
    }

    func ended(_ error: ConnectError) {
        readBatchEnded()
        let (end, cancelled) = state.connectionEnded(error.message, on: &server.resources)
        for task in cancelled { task.cancel() }
        switch end {
        case .disconnected(let event): server.onEvent(event)
        case .answered: break
        case .calls(let peer): server.options.onCallsEnded?(peer)
        case .refused(let reason):
            server.reportRefused(connection?.peer ?? SocketAddress(host: "unknown", port: 0), reason)
        }
        server.ended(id)
    }
}
