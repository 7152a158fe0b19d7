extension ScanSystem {
    /// Runs an attempt over a transport; sends the bulk bytes unless the node keeps them or finds them by itself.
    func run<Task: ScanTask>(
        _ task: Task, attempt number: Int, bulk: BulkSource?, timeout: Duration?, over transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        let light = Attempt(task: task, number: number, bulkKey: bulk?.key)
        guard let bulk else { return try await response(to: start(light, on: transport), timeout, transport) }
        if let key = bulk.key, transport.holds(key) {
            do {
                return try await response(to: start(light, on: transport), timeout, transport)
            } catch {
                // The node has dropped the bytes since: it gets them once more.
                guard error.code == .bulkMissing else { throw error }
            }
        }
        if let reference = bulk.reference {
            var referring = light
            referring.reference = reference
            do {
                let started = start(referring, with: try await load(bulk), on: transport)
                return try await response(to: started, timeout, transport)
            } catch {
                // The node does not find them there: it gets them.
                guard error.code == .bulkMissing else { throw error }
            }
        }
        let started = start(light, with: try await load(bulk), on: transport)
        return try await response(to: started, timeout, transport)
    }

    /// An attempt under way. It does not know the bulk bytes: they go as soon as they are sent.
    private struct Started<Task: ScanTask> {
        let answer = TimeoutTask<Result<TaskResponse<Task>, ScanError>>()
        var handle = AttemptHandle(rawValue: 0)
    }

    private func start<Task: ScanTask>(
        _ attempt: Attempt<Task>, with bulk: consuming BulkBytes? = nil, on transport: any ScanTransport
    ) -> Started<Task> {
        var attempt = attempt
        attempt.bulk = bulk
        var started = Started<Task>()
        started.handle = transport.start(attempt) { [answer = started.answer] in answer.settle($0) }
        return started
    }

    private func response<Task: ScanTask>(
        to started: Started<Task>, _ timeout: Duration?, _ transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        let abandon = { transport.cancel(started.handle) }
        switch await started.answer.outcome(within: timeout, on: clock, abandon: abandon) {
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
            return try await withTaskExecutorPreference(reader) { try await bulk.load() }
        } catch {
            if Task.isCancelled { throw ScanError(.cancelled, "nobody waits for the scan any more", system: name) }
            throw ScanError(.bulkUnreadable, "\(error)")
        }
    }
}
