import ScanCluster
import ScanNetwork

/// Carries attempts over a simulated connection, as `TCPTransport` does over a real one.
final class SimulatedTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    let node: NodeInfo
    private let world: SimulatedWorld
    /// Nil once the coordinator's process is dead.
    var connection: SimulatedConnection?
    private let encoder = WireEncoder()
    private var state: TCPTransport.State<AttemptCompletion>

    init(node: NodeInfo, connection: SimulatedConnection, world: SimulatedWorld) {
        self.node = node
        state = TCPTransport.State(node: node, packed: SimulatedUnpacker.form)
        self.connection = connection
        self.world = world
    }

    /// Attempts that wait for an answer.
    var waiting: Int { state.waiting }

    func payloads(of source: BulkSource) -> [Payload] { state.payloads(of: source) }

    func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        if let refusal = state.refusal {
            world.after(.zero) { completion(.error(refusal), nil) }
            return AttemptHandle(rawValue: .max)
        }
        var request = UInt64.max
        do {
            let task = try encoder.encode(attempt.task)
            let reference: BulkReference?
            (request, reference) = state.start(attempt, task: task.withUnsafeBytes(checksum), completion: completion)
            let frame = SimulatedMessage.frame(bulk: reference == nil ? attempt.bulk : nil) { writer in
                task.withUnsafeBytes { task in
                    writer.putTask(
                        request: request, attempt: UInt32(clamping: attempt.number),
                        typeName: type(of: attempt.task).typeName, task: task, key: attempt.bulkKey,
                        isLastUse: node.takesLastUse(of: attempt), bulk: attempt.bulk, reference: reference)
                }
            }
            connection?.sendToNode(frame)
        } catch {
            world.fail("a task cannot be encoded: \(error)")
        }
        return AttemptHandle(rawValue: request)
    }

    func received(_ frame: Frame) throws(ProtocolError) {
        if case .complete(let completion, let outcome, let output) = try state.received(frame) {
            completion(outcome, output)
        }
    }

    func cancel(_ handle: AttemptHandle) {
        if state.cancel(handle.rawValue) {
            connection?.sendToNode(.frame { $0.putCancel(request: handle.rawValue) })
        }
    }

    func close() {
        connection?.sendToNode(.closed)
        end(ConnectError(.lost, "was disconnected by this program"))
    }

    func end(_ error: ConnectError) {
        if case .ended = state.phase { return }
        let end = state.end(error)
        for completion in end.waiting { completion(.error(end.reply), nil) }
    }
}
