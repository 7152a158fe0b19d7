import ScanCluster
import ScanNetwork
import ScanTestSupport

/// A system that answers only when everything it was given is done, and then in a random order.
final class ShufflingTransport: ScanTransport {
    private let threads = ScanThreads(count: 1)
    private let state: Locked<State>

    private struct State {
        var generator: SplitMix64
        var inFlight = 0
        var finished: [@Sendable () -> Void] = []
        var nextHandle: UInt64 = 0
    }

    init(seed: UInt64) { state = Locked(State(generator: SplitMix64(seed: seed))) }

    func holds(_ key: BulkKey) -> Bool { false }

    func start<Task: ScanTask>(
        _ attempt: Attempt<Task>, completion: @escaping @Sendable (Result<TaskResponse<Task>, ScanError>) -> Void
    ) -> AttemptHandle {
        let context = ScanContext(bulk: attempt.bulk)
        // Counted before it can end.
        let handle = state.withLock { state in
            state.inFlight += 1
            state.nextHandle += 1
            return AttemptHandle(rawValue: state.nextHandle)
        }
        threads.submit(
            ScanJob(context: context) { [self] context in
                let result = Result { try attempt.task.scan(context) }
                let response = TaskResponse<Task>(
                    id: attempt.task.id,
                    result: result.response(attempt: attempt.number), system: "shuffled", attempt: attempt.number,
                    seconds: 0)
                answer { completion(.success(response)) }
            })
        return handle
    }

    /// Keeps an answer back until it is the last one out.
    private func answer(_ body: @escaping @Sendable () -> Void) {
        let due: [@Sendable () -> Void] = state.withLock { state in
            state.finished.append(body)
            guard state.finished.count == state.inFlight else { return [] }
            defer { (state.finished, state.inFlight) = ([], 0) }
            return state.finished.shuffled(using: &state.generator)
        }
        for body in due { body() }
    }

    func cancel(_ handle: AttemptHandle) {}

    func close() { threads.stop() }
}

extension Result {
    fileprivate func response<Task: ScanTask>(attempt: Int) -> TaskResponse<Task>.Result where Success == Task.Output {
        switch self {
        case .success(let output): .success(output)
        case .failure(let error): .failure(TaskFailure(message: "\(error)", system: "shuffled", attempt: attempt))
        }
    }
}
