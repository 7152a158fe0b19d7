import ScanSlots
import ScanBasics
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

    func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        // Counted before it can end.
        let handle = state.withLock { state in
            state.inFlight += 1
            state.nextHandle += 1
            return AttemptHandle(rawValue: state.nextHandle)
        }
        let task = attempt.task
        threads.submit(
            ClosureWork(context: ScanContext(bulk: attempt.bulk)) { [self] context in
                let result = Result { try PlainOutput(task.scan(context)) }
                answer {
                    switch result {
                    case .success(let output): completion(.finished(seconds: 0), output)
                    case .failure(let error): completion(.failed("\(error)"), nil)
                    }
                }
            })
        return handle
    }

    /// Holds the responses until all tasks are done, then delivers them in random order.
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
