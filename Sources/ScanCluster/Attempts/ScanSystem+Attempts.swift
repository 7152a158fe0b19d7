extension ScanSystem {
    /// Runs one attempt at `task` to its response.
    ///
    /// The time-out begins when the system has the task and a slot is free for it; reading the bulk bytes does not
    /// count. On the local system a scan that timed out occupies its slot until it ends.
    /// - Parameters:
    ///   - task: the task.
    ///   - number: number of the attempt, from 1.
    ///   - bulk: the bytes that travel beside the task.
    ///   - timeout: time the system has to respond; nil for no limit.
    /// - Returns: the output, or the error the task's code threw.
    /// - Throws: ``ScanError`` if the system gave no valid response.
    public func run<Work: ScanTask>(
        _ task: Work, attempt number: Int, bulk: BulkSource? = nil, timeout: Duration? = nil
    ) async throws(ScanError) -> TaskResponse<Work> {
        let attempt = Attempt(
            number, at: task, on: self, bulk: bulk, timeout: timeout.map(TimeLimit.init(fixed:)))
        await withTaskCancellationHandler {
            await run(attempt)
        } onCancel: {
            attempt.cancel()
        }
        if let response = attempt.response { return response.value }
        switch attempt.outcome {
        case .failed(let cause, let log, let seconds):
            let failure = TaskFailure(message: cause, system: name, attempt: number, log: log)
            return TaskResponse(
                id: task.id, result: .failure(failure), system: name, attempt: number, seconds: seconds)
        case .error(let error): throw error
        case .finished, nil: preconditionFailure("an attempt that has finished has a response")
        }
    }

    /// Runs an attempt to its end.
    func run<Work: ScanTask>(_ attempt: Attempt<Work>) async {
        attempt.begin(on: self)
        await attempt.wait()
    }

    /// Reads bulk bytes for an attempt, packed like this.
    func load<Work>(_ bulk: BulkSource, _ packing: BulkPacking, for attempt: Attempt<Work>) async {
        do throws(ScanError) {
            var bytes: BulkBytes? = try await load { try await bulk.load(packing) }
            attempt.loaded(&bytes, on: self)
        } catch {
            attempt.failed(toLoad: error, on: self)
        }
    }

    /// Reads bulk bytes outside the actor: a source that blocks must not block the event loop, if the actor runs there.
    @concurrent
    private nonisolated func load(
        _ read: @escaping @Sendable () async throws -> BulkBytes
    ) async throws(ScanError) -> BulkBytes {
        do {
            return try await withTaskExecutorPreference(reader) { try await read() }
        } catch {
            if Task.isCancelled { throw cancelled() }
            throw ScanError(.bulkUnreadable, String(words: error))
        }
    }

    nonisolated func timedOut(after timeout: Duration) -> ScanError {
        let seconds = timeout / .seconds(1)
        let words = Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
        return ScanError(.timedOut, "no answer within \(words) s", system: name)
    }

    nonisolated func cancelled(as code: ScanError.Code = .cancelled) -> ScanError {
        ScanError(code, "the requester has cancelled the scan", system: name)
    }
}
