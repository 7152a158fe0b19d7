extension ScanSystem {
    /// Runs an attempt over a transport; sends the bulk bytes unless the node keeps them.
    func run<Task: ScanTask>(
        _ task: Task, attempt number: Int, bulk: BulkSource?, timeout: Duration?, over transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        var attempt = Attempt(task: task, number: number, bulkKey: bulk?.key)
        guard let bulk else { return try await exchange(attempt, timeout: timeout, over: transport) }
        if let key = bulk.key, transport.holds(key) {
            do {
                return try await exchange(attempt, timeout: timeout, over: transport)
            } catch {
                // The node has dropped the bytes since: it gets them once more.
                guard error.code == .bulkMissing else { throw error }
            }
        }
        attempt.bulk = try await load(bulk)
        return try await exchange(attempt, timeout: timeout, over: transport)
    }

    private func exchange<Task: ScanTask>(
        _ attempt: Attempt<Task>, timeout: Duration?, over transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        let answer = TimeoutTask<Result<TaskResponse<Task>, ScanError>>()
        let handle = transport.start(attempt) { answer.settle($0) }
        switch await answer.outcome(within: timeout, on: clock, abandon: { transport.cancel(handle) }) {
        case .result(.success(let response)): return response
        case .result(.failure(var error)):
            error.system = name
            throw error
        case .expired: throw timedOut(after: timeout)
        case .cancelled: throw ScanError(.cancelled, "nobody waits for the scan any more", system: name)
        }
    }

    func timedOut(after timeout: Duration?) -> ScanError {
        ScanError(.timedOut, "no answer within \((timeout ?? .zero) / .seconds(1)) s", system: name)
    }

    /// Reads bulk bytes, away from the actor: a source that blocks must not hold up the loop that the actor may run on.
    @concurrent
    nonisolated func load(_ bulk: BulkSource) async throws(ScanError) -> BulkBytes {
        do {
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await bulk.load() }
        } catch {
            if Task.isCancelled { throw ScanError(.cancelled, "nobody waits for the scan any more", system: name) }
            throw ScanError(.bulkUnreadable, "\(error)")
        }
    }
}
