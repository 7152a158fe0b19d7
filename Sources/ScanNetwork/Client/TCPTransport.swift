package import ScanCluster

/// Carries attempts over one connection to a node, many at a time. Confined to the loop's thread.
package final class TCPTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the loop's thread, on which the system that owns the transport runs.

    private struct Waiter {
        var key: BulkKey?
        /// What the task refers to.
        var origin: [UInt8]?
        var completion: @Sendable (AttemptReply) -> Void
    }

    package let node: NodeInfo
    private let connection: Connection
    private let encoder = WireEncoder()
    private var pending = PendingResponses<Waiter>()
    private var held = HeldKeys()
    /// What the node could not read.
    private var unreadable: Set<[UInt8]> = []
    private var farewell: String?
    /// What becomes of an attempt that is started now: the node drains, or the connection has ended.
    private var obstacle: ScanError?
    private let onDraining: () -> Void
    private let onEnd: (ScanError) -> Void

    /// Takes over an open connection. `onDraining`: the node takes no more tasks but finishes those it has. `onEnd`: the
    /// connection has ended, and attempts under way have been completed.
    init(
        node: NodeInfo, connection: Connection, onDraining: @escaping () -> Void, onEnd: @escaping (ScanError) -> Void
    ) {
        self.node = node
        self.connection = connection
        self.onDraining = onDraining
        self.onEnd = onEnd
        connection.hand(to: self)
    }

    var roundTrip: Duration? { connection.roundTrip }

    package func holds(_ key: BulkKey) -> Bool { held.contains(key) }

    package func start(_ attempt: AttemptRequest, completion: @escaping @Sendable (AttemptReply) -> Void)
        -> AttemptHandle
    {
        connection.loop.assertOnLoop()
        do {
            if let obstacle { throw obstacle }
            return AttemptHandle(rawValue: try send(attempt, completion))
        } catch {
            // Never from inside this call; the handle names no request.
            connection.loop.execute {
                let lost = (error as? ScanError).map { AttemptReply.error($0) }
                completion(lost ?? .failure("the task cannot be sent: \(error)"))
            }
            return AttemptHandle(rawValue: .max)
        }
    }

    private func send(
        _ attempt: AttemptRequest, _ completion: @escaping @Sendable (AttemptReply) -> Void
    ) throws -> UInt64 {
        try encoder.encode(attempt.task) { bytes in
            let scanner = type(of: attempt.task).scanner
            let size = ByteWriter.taskSize(scanner: scanner, task: bytes.count, bulk: attempt.bulk?.count ?? 0)
            guard size <= node.frameLimit else {
                throw WireError("it has \(size) bytes, and the node accepts \(node.frameLimit)")
            }
            guard scanner.utf8.count <= 255 else { throw WireError("its scanner's name is too long") }
            let reference = attempt.bulk == nil ? nil : attempt.reference.flatMap(usable)
            let request = pending.insert(
                Waiter(
                    key: attempt.bulk == nil ? nil : attempt.bulkKey, origin: reference?.origin, completion: completion)
            )
            connection.send {
                $0.putTask(
                    request: request, attempt: UInt32(clamping: attempt.number), scanner: scanner, task: bytes,
                    key: attempt.bulkKey, isLastUse: node.isToldOfLastUse(attempt), bulk: attempt.bulk,
                    reference: reference)
            }
            if reference == nil, let bulk = attempt.bulk { connection.send(bulk: bulk) }
            return request
        }
    }

    /// The reference, if it may be sent in the place of bytes.
    private func usable(_ reference: BulkReference) -> BulkReference? {
        guard node.readsReferences == true, reference.size <= FrameFormat.referenceLimit else { return nil }
        return unreadable.contains(reference.origin) ? nil : reference
    }

    private static func reply(_ frame: ResponseFrame) -> AttemptReply {
        if frame.succeeded { return .output(CodedOutput(bytes: frame.body), seconds: frame.seconds) }
        let report = CodedFailure(decoding: frame.body)
        return .failure(report.cause, log: report.log, seconds: frame.seconds)
    }

    /// An output as it came over the wire.
    private struct CodedOutput: AttemptOutput {
        let bytes: UnsafeRawBufferPointer

        func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output {
            try WireDecoder().decode(type, from: bytes)
        }
    }

    package func cancel(_ handle: AttemptHandle) {
        connection.loop.assertOnLoop()
        guard pending.remove(handle.rawValue) != nil else { return }
        connection.send { $0.putCancel(request: handle.rawValue) }
    }

    package func close() {
        connection.send { $0.putGoodbye(draining: false, message: "done") }
        connection.end(ScanError(.systemLost, "was left by this program"), politely: true)
    }
}

extension TCPTransport: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep { .wait }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ScanError {
        ScanError(.systemLost, "closed the connection")
    }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ScanError {
        ScanError(.systemLost, "was silent for \(limit.words)")
    }

    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError) {
        switch frame {
        case .response(let response):
            // Without a waiter, the answer comes too late: the attempt was cancelled or timed out.
            guard let waiter = pending.remove(response.request) else { return }
            if response.keptBulk, let key = waiter.key { held.insert(key) }
            waiter.completion(Self.reply(response))
        case .refusal(let request, let reason, let message):
            guard let waiter = pending.remove(request) else { return }
            if reason == .bulkElsewhere, let origin = waiter.origin {
                // Forgotten all at once when they are many: then they are tried again.
                if unreadable.count >= 64 { unreadable = [] }
                unreadable.insert(origin)
            }
            waiter.completion(.error(ScanError(reason.code, message.printable, system: node.name)))
        case .goodbye(let draining, let message):
            farewell = message.printable
            if draining {
                // An attempt whose bytes were still being read is sent back from here, not at the node's end.
                obstacle = ScanError(.draining, message.printable, system: node.name)
                onDraining()
            }
        case .task, .cancel, .ping, .pong: throw ProtocolError("a node sent a coordinator's frame")
        }
    }

    func readBatchEnded() {}

    func ended(_ error: ScanError) {
        let message = farewell.map { "\(error.message) (\($0))" } ?? error.message
        let lost = ScanError(.systemLost, message, system: node.name)
        // What a draining node has not answered came too late for it.
        let reply = ScanError(obstacle?.code ?? lost.code, message, system: node.name)
        obstacle = reply
        for waiter in pending.removeAll() { waiter.completion(.error(reply)) }
        onEnd(lost)
    }
}
