import ScanCluster
import ScanNetwork

/// Carries attempts over a simulated connection, as `TCPTransport` does over a real one.
final class SimulatedTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private enum Reply {
        case answer(SimulatedAnswer)
        case failed(ScanError)
    }
    private struct Waiter {
        var key: BulkKey?
        var reply: (Reply) -> Void
    }

    let name: String
    private let world: SimulatedWorld
    /// Nil once the coordinator's process is dead.
    var connection: SimulatedConnection?
    private var pending = PendingResponses<Waiter>()
    private var held = HeldKeys()
    private var ended: ScanError?

    init(name: String, connection: SimulatedConnection, world: SimulatedWorld) {
        self.name = name
        self.connection = connection
        self.world = world
    }

    /// Attempts that wait for an answer.
    var waiting: Int { pending.count }

    func holds(_ key: BulkKey) -> Bool { held.contains(key) }

    func start<Task: ScanTask>(
        _ attempt: Attempt<Task>, completion: @escaping @Sendable (Result<TaskResponse<Task>, ScanError>) -> Void
    ) -> AttemptHandle {
        guard let task = attempt.task as? SimulatedTask else { preconditionFailure("only simulated tasks run here") }
        if let ended {
            world.after(.zero) { completion(.failure(ended)) }
            return AttemptHandle(rawValue: .max)
        }
        let (bulk, name) = (attempt.bulk, name)
        // The waiter must not keep the bytes.
        var attempt = attempt
        attempt.bulk = nil
        let request = pending.insert(
            Waiter(key: bulk == nil ? nil : attempt.bulkKey) { [attempt] reply in
                completion(Self.result(of: attempt, from: reply, system: name))
            })
        connection?.send(ToNode.task(request: request, task, key: attempt.bulkKey, bulk: bulk))
        return AttemptHandle(rawValue: request)
    }

    private static func result<Task: ScanTask>(
        of attempt: Attempt<Task>, from reply: Reply, system: String
    ) -> Result<TaskResponse<Task>, ScanError> {
        func response(_ result: TaskResponse<Task>.Result, _ seconds: Double) -> TaskResponse<Task> {
            TaskResponse(
                id: attempt.task.id, result: result, system: system, attempt: attempt.number, seconds: seconds)
        }
        switch reply {
        case .failed(let error): return .failure(error)
        case .answer(.refused(let reason)): return .failure(ScanError(reason.code, "\(reason)"))
        case .answer(.threw(let message)):
            let failure = TaskFailure(message: message, system: system, attempt: attempt.number)
            return .success(response(.failure(failure), 0))
        case .answer(.garbage):
            guard let output = UInt64.max as? Task.Output else { preconditionFailure("outputs are numbers") }
            return .success(response(.success(output), 0))
        case .answer(.output(let seconds)):
            guard let task = attempt.task as? SimulatedTask, let output = task.output as? Task.Output else {
                preconditionFailure("outputs are numbers")
            }
            return .success(response(.success(output), seconds))
        }
    }

    func receive(_ answer: SimulatedAnswer, to request: UInt64, keptBulk: Bool) {
        guard let waiter = pending.remove(request) else { return }
        if keptBulk, let key = waiter.key { held.insert(key) }
        waiter.reply(.answer(answer))
    }

    func cancel(_ handle: AttemptHandle) {
        if pending.remove(handle.rawValue) != nil { connection?.send(ToNode.cancel(request: handle.rawValue)) }
    }

    func close() {
        connection?.send(ToNode.end)
        end(ScanError(.systemLost, "was left by this program"), isDraining: false)
    }

    func end(_ error: ScanError, isDraining: Bool) {
        guard ended == nil else { return }
        var error = error
        error.system = name
        ended = error
        let reply = isDraining ? ScanError(.draining, error.message, system: name) : error
        for waiter in pending.removeAll() { waiter.reply(.failed(reply)) }
    }
}
