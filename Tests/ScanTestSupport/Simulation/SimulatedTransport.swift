import ScanCluster
import ScanNetwork

/// Carries attempts over a simulated connection, as `TCPTransport` does over a real one.
final class SimulatedTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private struct Waiter {
        var key: BulkKey?
        var origin: [UInt8]?
        var completion: @Sendable (AttemptReply) -> Void
    }

    let node: NodeInfo
    private let world: SimulatedWorld
    /// Nil once the coordinator's process is dead.
    var connection: SimulatedConnection?
    private let encoder = WireEncoder()
    private var pending = PendingResponses<Waiter>()
    private var held = HeldKeys()
    private var unreadable: Set<[UInt8]> = []
    private var hasEnded = false
    /// What becomes of an attempt that is started now: the node drains, or the connection has ended.
    private var obstacle: ScanError?

    init(node: NodeInfo, connection: SimulatedConnection, world: SimulatedWorld) {
        self.node = node
        self.connection = connection
        self.world = world
    }

    /// Attempts that wait for an answer.
    var waiting: Int { pending.count }

    func holds(_ key: BulkKey) -> Bool { held.contains(key) }

    func start(_ attempt: AttemptRequest, completion: @escaping @Sendable (AttemptReply) -> Void) -> AttemptHandle {
        if let obstacle {
            world.after(.zero) { completion(.error(obstacle)) }
            return AttemptHandle(rawValue: .max)
        }
        var reference = attempt.bulk == nil || node.readsReferences != true ? nil : attempt.reference
        if let origin = reference?.origin, unreadable.contains(origin) { reference = nil }
        let request = pending.insert(
            Waiter(
                key: attempt.bulk == nil ? nil : attempt.bulkKey, origin: reference?.origin, completion: completion))
        do {
            let task = try encoder.encode(attempt.task)
            let frame = SimulatedMessage.frame(bulk: reference == nil ? attempt.bulk : nil) { writer in
                task.withUnsafeBytes { task in
                    writer.putTask(
                        request: request, attempt: UInt32(clamping: attempt.number),
                        scanner: type(of: attempt.task).scanner, task: task, key: attempt.bulkKey,
                        isLastUse: node.isToldOfLastUse(attempt), bulk: attempt.bulk,
                        reference: reference)
                }
            }
            connection?.sendToNode(frame)
        } catch {
            world.fail("a task cannot be encoded: \(error)")
        }
        return AttemptHandle(rawValue: request)
    }

    /// An output in the bytes of a response.
    private struct CodedOutput: AttemptOutput {
        let bytes: UnsafeRawBufferPointer

        func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output {
            try WireDecoder().decode(type, from: bytes)
        }
    }

    private static func reply(_ frame: ResponseFrame) -> AttemptReply {
        if frame.succeeded { return .output(CodedOutput(bytes: frame.body), seconds: frame.seconds) }
        let report = CodedFailure(decoding: frame.body)
        return .failure(report.cause, log: report.log, seconds: frame.seconds)
    }

    func received(_ frame: Frame) throws(ProtocolError) {
        switch frame {
        case .response(let response):
            guard let waiter = pending.remove(response.request) else { return }
            if response.keptBulk, let key = waiter.key { held.insert(key) }
            waiter.completion(Self.reply(response))
        case .refusal(let request, let reason, let message):
            guard let waiter = pending.remove(request) else { return }
            if reason == .bulkElsewhere, let origin = waiter.origin { unreadable.insert(origin) }
            waiter.completion(.error(ScanError(reason.code, message, system: node.name)))
        case .goodbye(let draining, let message):
            if draining { obstacle = ScanError(.draining, message, system: node.name) }
        case .task, .cancel, .ping, .pong: throw ProtocolError("a node sent a coordinator's frame")
        }
    }

    func cancel(_ handle: AttemptHandle) {
        if pending.remove(handle.rawValue) != nil {
            connection?.sendToNode(.frame { $0.putCancel(request: handle.rawValue) })
        }
    }

    func close() {
        connection?.sendToNode(.closed)
        end(ScanError(.systemLost, "was left by this program"))
    }

    func end(_ error: ScanError) {
        guard !hasEnded else { return }
        hasEnded = true
        let reply = ScanError(obstacle?.code ?? error.code, error.message, system: node.name)
        obstacle = reply
        for waiter in pending.removeAll() { waiter.completion(.error(reply)) }
    }
}
