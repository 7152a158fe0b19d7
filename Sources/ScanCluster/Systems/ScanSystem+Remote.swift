extension ScanSystem {
    /// Runs an attempt over a transport; sends the bulk bytes unless the node keeps them or finds them by itself.
    func run<Task: ScanTask>(
        _ task: Task, attempt number: Int, bulk: BulkSource?, timeout: Duration?, over transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        var light = Attempt(task: task, number: number, bulkKey: bulk?.key)
        light.isLastUse = bulk?.isLastUse ?? false
        guard let bulk else { return try await response(to: start(light, at: task, on: transport), timeout, transport) }
        if let key = bulk.key, transport.holds(key) {
            do {
                return try await response(to: start(light, at: task, on: transport), timeout, transport)
            } catch {
                // The node has dropped the bytes since: it gets them once more.
                guard error.code == .bulkMissing else { throw error }
            }
        }
        if let reference = bulk.reference {
            var referring = light
            referring.reference = reference
            do {
                let started = start(referring, at: task, with: try await load(bulk), on: transport)
                return try await response(to: started, timeout, transport)
            } catch {
                // The node does not find them there: it gets them.
                guard error.code == .bulkMissing else { throw error }
            }
        }
        let started = start(light, at: task, with: try await load(bulk), on: transport)
        return try await response(to: started, timeout, transport)
    }

    /// An attempt under way. It does not know the bulk bytes: they go as soon as they are sent.
    private final class Started<Task: ScanTask>: LimitedAttempt, @unchecked Sendable {
        // Sendable: only `answer` is touched off the transport's executor.
        let answer = TimeoutTask<Result<TaskResponse<Task>, ScanError>>()
        var handle = AttemptHandle(rawValue: 0)

        override func expire() { answer.expire() }
    }

    private func start<Task: ScanTask>(
        _ attempt: Attempt, at task: Task, with bulk: consuming BulkBytes? = nil, on transport: any ScanTransport
    ) -> Started<Task> {
        var attempt = attempt
        attempt.bulk = bulk
        let started = Started<Task>()
        started.handle = transport.start(attempt) { [answer = started.answer, number = attempt.number] reply in
            answer.settle(self.result(of: reply, to: task, attempt: number))
        }
        return started
    }

    /// What a reply of the transport means for `task`.
    nonisolated func result<Task: ScanTask>(
        of reply: AttemptReply, to task: Task, attempt: Int
    ) -> Result<TaskResponse<Task>, ScanError> {
        do throws(ScanError) {
            switch reply {
            case .output(let coded, let seconds):
                let output: Task.Output
                do {
                    output = try coded.decode(Task.Output.self)
                } catch {
                    throw ScanError(.invalidResponse, "sent a result that cannot be decoded: \(error)", system: name)
                }
                return .success(try response(of: .success(output), to: task, attempt: attempt, seconds: seconds))
            case .failure(let cause, let log, let seconds):
                let failure = TaskFailure(message: cause, system: name, attempt: attempt, log: log)
                return .success(try response(of: .failure(failure), to: task, attempt: attempt, seconds: seconds))
            case .error(var error):
                error.system = name
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    private func response<Task: ScanTask>(
        to started: Started<Task>, _ timeout: Duration?, _ transport: any ScanTransport
    ) async throws(ScanError) -> TaskResponse<Task> {
        if let timeout { limits.begin(started, timeout) }
        defer { limits.end(started) }
        switch await started.answer.outcome(within: nil, on: clock, abandon: { transport.cancel(started.handle) }) {
        case .result(let result): return try result.get()
        case .expired: throw timedOut(after: timeout)
        case .cancelled: throw cancelled
        }
    }

    nonisolated func timedOut(after timeout: Duration?) -> ScanError {
        ScanError(.timedOut, "no answer within \((timeout ?? .zero) / .seconds(1)) s", system: name)
    }

    nonisolated var cancelled: ScanError {
        ScanError(.cancelled, "nobody waits for the scan any more", system: name)
    }

    /// Reads bulk bytes, away from the actor: a source that blocks must not hold up the loop that the actor may run on.
    @concurrent
    nonisolated func load(_ bulk: BulkSource) async throws(ScanError) -> BulkBytes {
        do {
            return try await withTaskExecutorPreference(reader) { try await bulk.load() }
        } catch {
            if Task.isCancelled { throw cancelled }
            throw ScanError(.bulkUnreadable, "\(error)")
        }
    }
}
