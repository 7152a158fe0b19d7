/// The attempts under way, so that one of them can be cancelled: a task group cancels all its children or none.
final class AttemptCancellations: Sendable {
    private struct State {
        // A task stands here only while it runs, and both sides hold the lock: the reference is always valid.
        var running: [TaskLedger.AttemptID: UnsafeCurrentTask] = [:]
        /// Cancelled, and not known to have ended since.
        var cancelled: Set<TaskLedger.AttemptID> = []
    }
    private let state = Locked(State())

    /// Runs `body` so that ``cancel(_:)`` cancels the calling task.
    /// - Returns: what `body` returns, and whether the attempt was cancelled by that.
    @concurrent
    func run<Result: Sendable>(
        _ attempt: TaskLedger.AttemptID, _ body: @Sendable () async -> Result
    ) async -> (Result, isCancelled: Bool) {
        await withUnsafeCurrentTask { task in
            state.withLock { state in
                state.running[attempt] = task
                if state.cancelled.contains(attempt) { task?.cancel() }
            }
            let result = await body()
            let isCancelled = state.withLock { state in
                state.running[attempt] = nil
                return state.cancelled.remove(attempt) != nil
            }
            return (result, isCancelled)
        }
    }

    /// Cancels an attempt. Its handlers run inside the lock; all they do is to resume what waits.
    func cancel(_ attempt: TaskLedger.AttemptID) {
        state.withLock { state in
            state.cancelled.insert(attempt)
            state.running[attempt]?.cancel()
        }
    }
}
