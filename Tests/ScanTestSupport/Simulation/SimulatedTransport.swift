import ScanCluster
import ScanNetwork

/// Carries attempts over a simulated connection, as `TCPTransport` does over a real one.
final class SimulatedTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private struct Waiter {
        var key: BulkKey?
        var task: SimulatedTask
        var completion: @Sendable (AttemptReply) -> Void
    }

    let name: String
    private let world: SimulatedWorld
    /// Nil once the coordinator's process is dead.
    var connection: SimulatedConnection?
    private var pending = PendingResponses<Waiter>()
    private var held = HeldKeys()
    private var hasEnded = false
    /// What becomes of an attempt that is started now: the node drains, or the connection has ended.
    private var obstacle: ScanError?

    init(name: String, connection: SimulatedConnection, world: SimulatedWorld) {
        self.name = name
        self.connection = connection
        self.world = world
    }

    /// Attempts that wait for an answer.
    var waiting: Int { pending.count }

    func holds(_ key: BulkKey) -> Bool { held.contains(key) }

    func start(_ attempt: Attempt, completion: @escaping @Sendable (AttemptReply) -> Void) -> AttemptHandle {
        guard let task = attempt.task as? SimulatedTask else { preconditionFailure("only simulated tasks run here") }
        if let obstacle {
            world.after(.zero) { completion(.error(obstacle)) }
            return AttemptHandle(rawValue: .max)
        }
        let request = pending.insert(
            Waiter(key: attempt.bulk == nil ? nil : attempt.bulkKey, task: task, completion: completion))
        connection?.send(
            ToNode.task(
                request: request, task, key: attempt.bulkKey, isLastUse: attempt.isLastUse, bulk: attempt.bulk))
        return AttemptHandle(rawValue: request)
    }

    private static func reply(_ answer: SimulatedAnswer, to task: SimulatedTask) -> AttemptReply {
        switch answer {
        case .refused(let reason): .error(ScanError(reason.code, "\(reason)"))
        case .threw(let message): .failure(message)
        case .garbage: .output(PlainOutput(UInt64.max), seconds: 0)
        case .output(let seconds): .output(PlainOutput(task.output), seconds: seconds)
        }
    }

    func receive(_ answer: SimulatedAnswer, to request: UInt64, keptBulk: Bool) {
        guard let waiter = pending.remove(request) else { return }
        if keptBulk, let key = waiter.key { held.insert(key) }
        waiter.completion(Self.reply(answer, to: waiter.task))
    }

    func cancel(_ handle: AttemptHandle) {
        if pending.remove(handle.rawValue) != nil { connection?.send(ToNode.cancel(request: handle.rawValue)) }
    }

    func close() {
        connection?.send(ToNode.end)
        end(ScanError(.systemLost, "was left by this program"))
    }

    /// The node takes no more tasks.
    func drain() {
        obstacle = ScanError(.draining, "the node is draining", system: name)
    }

    func end(_ error: ScanError) {
        guard !hasEnded else { return }
        hasEnded = true
        let reply = ScanError(obstacle?.code ?? error.code, error.message, system: name)
        obstacle = reply
        for waiter in pending.removeAll() { waiter.completion(.error(reply)) }
    }
}
