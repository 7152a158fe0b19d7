internal import ScanBasics

/// Commits entries in groups on an executor that may block: entries that are added while the disk syncs are committed
/// together in the next transaction.
///
/// After a commit has failed, every call throws its error.
package final class GroupCommit<Entry: Sendable>: Sendable {
    private let executor: BlockingExecutor
    private let commit: @Sendable ([Entry]) throws -> Void
    private let state: Locked<State>

    private struct State {
        /// Entries that are not yet committed, oldest first.
        var pending: [Entry] = []
        var isWriting = false
        var isHeld: Bool
        var waiting: [CheckedContinuation<Void, any Error>] = []
        var failure: (any Error)?
    }

    /// Creates a queue of entries.
    /// - Parameters:
    ///   - executor: runs `commit`.
    ///   - isHeld: whether entries are kept back until ``release()``.
    ///   - commit: makes entries durable.
    package init(
        on executor: BlockingExecutor, isHeld: Bool = false, commit: @escaping @Sendable ([Entry]) throws -> Void
    ) {
        (self.executor, self.commit) = (executor, commit)
        state = Locked(State(isHeld: isHeld))
    }

    /// Adds an entry. Suspends while the backlog is large.
    /// - Throws: The error of the commit that failed.
    package func add(_ entry: Entry) async throws {
        let count = try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.pending.append(entry)
            return state.pending.count
        }
        submit()
        if count >= Self.mostPending { try await flush() }
    }

    /// Waits until all added entries are durable.
    /// - Throws: The error that prevents it.
    package func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Void, any Error>? = state.withLock { state in
                if let failure = state.failure { return .failure(failure) }
                if state.pending.isEmpty, !state.isWriting { return .success(()) }
                state.waiting.append(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Commits the entries that were kept back, and from now on all others.
    package func release() {
        state.withLock { $0.isHeld = false }
        submit()
    }

    /// Drops the entries that are not durable, and throws `error` from all waiting and later calls.
    package func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            state.failure = state.failure ?? error
            state.isWriting = false
            defer { (state.waiting, state.pending) = ([], []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }

    private static var mostPending: Int { 256 }

    private func submit() {
        let begins = state.withLock { state in
            guard !state.isHeld, !state.isWriting, !state.pending.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if begins { executor.submit { self.writePending() } }
    }

    /// Commits batches of entries until none is left. Runs on the executor.
    private func writePending() {
        while true {
            let batch = state.withLock { state in
                defer { state.pending = [] }
                return state.pending
            }
            do {
                if !batch.isEmpty { try commit(batch) }
            } catch {
                fail(error)
                return
            }
            let waiting: [CheckedContinuation<Void, any Error>]? = state.withLock { state in
                guard state.pending.isEmpty else { return nil }
                state.isWriting = false
                defer { state.waiting = [] }
                return state.waiting
            }
            if let waiting {
                for continuation in waiting { continuation.resume() }
                return
            }
        }
    }
}
