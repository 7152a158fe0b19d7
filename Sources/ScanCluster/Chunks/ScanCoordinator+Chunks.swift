extension ScanCoordinator {
    /// Runs `tasks` like ``responses(to:bulk:observer:)``, but lets tiny ones travel and run together, up to `limit` of
    /// them: several times as many then fit into a second.
    ///
    /// Each task still has exactly one response, with its own output or failure. One that fails in company is tried
    /// again alone at the end of the job. A time-out is multiplied by `limit` for tasks in company, and counts as it is
    /// for those that are tried alone. How many tasks go together is measured: long ones go alone.
    /// - Parameters:
    ///   - tasks: pulled as they are needed; those that failed in company are kept until the end.
    ///   - limit: most tasks that go together, at least 1.
    /// - Returns: a sequence that throws what ``responses(to:bulk:observer:)`` would.
    public func responses<Task: ScanTask>(
        to tasks: some Sequence<Task> & Sendable, inChunksOf limit: Int
    ) -> TaskResponses<Task> {
        TaskResponses { [self] in
            let channel = ResponseChannel<Task>(capacity: options.responseBuffer)
            let job = _Concurrency.Task(executorPreference: executor) {
                await withTaskCancellationHandler {
                    var failure: ScanError?
                    do throws(ScanError) {
                        try await run(tasks, inChunksOf: max(1, limit), into: channel)
                    } catch {
                        failure = error
                    }
                    channel.finish(failure)
                } onCancel: {
                    channel.abandon()
                }
            }
            return TaskResponses.AsyncIterator(channel: channel) { job.cancel() }
        }
    }

    private func run<Task: ScanTask>(
        _ tasks: some Sequence<Task> & Sendable, inChunksOf limit: Int, into channel: ResponseChannel<Task>
    ) async throws(ScanError) {
        let size = Locked(ChunkSize(limit: limit))
        let open = Locked<[Int: [Task]]>([:])
        let chunks = ChunkSequence(tasks: tasks, size: size) { chunk in open.withLock { $0[chunk.id] = chunk.tasks } }
        var together = options
        together.timeout = options.timeout.map { $0 * limit }
        var failed: [Task] = []
        for try await response in with(together).responses(to: chunks) {
            let tasks = open.withLock { $0.removeValue(forKey: response.id) } ?? []
            switch response.result {
            case .success(let outcomes):
                size.withLock { $0.measure(response.seconds / Double(tasks.count)) }
                for (task, outcome) in zip(tasks, outcomes) {
                    if let answer = outcome.response(to: task, after: response, isLast: options.maxAttempts == 1) {
                        await channel.send(answer)
                    } else {
                        failed.append(task)
                    }
                }
            case .failure:
                failed += tasks
            }
        }
        guard !failed.isEmpty else { return }
        var alone = options
        alone.maxAttempts = options.maxAttempts - 1
        for try await var response in with(alone).responses(to: failed) {
            response.attempt += 1
            await channel.send(response)
        }
    }
}

extension TaskChunk.Outcome {
    /// The response of a task that was done in a chunk; nil if it threw and may be tried again.
    fileprivate func response(
        to task: Task, after chunk: TaskResponse<TaskChunk<Task>>, isLast: Bool
    ) -> TaskResponse<Task>? {
        let result: TaskResponse<Task>.Result
        if let output {
            result = .success(output)
        } else if isLast {
            result = .failure(
                TaskFailure(message: failure ?? "no output", system: chunk.system, attempt: chunk.attempt))
        } else {
            return nil
        }
        return TaskResponse(
            id: task.id, result: result, system: chunk.system, attempt: chunk.attempt, seconds: seconds)
    }
}

/// Makes chunks of tasks as they are asked for, each as long as is wanted then.
private struct ChunkSequence<Tasks: Sequence & Sendable>: Sequence, Sendable where Tasks.Element: ScanTask {
    let tasks: Tasks
    let size: Locked<ChunkSize>
    let made: @Sendable (TaskChunk<Tasks.Element>) -> Void

    func makeIterator() -> AnyIterator<TaskChunk<Tasks.Element>> {
        var iterator = tasks.makeIterator()
        var next = 0
        return AnyIterator {
            let count = size.withLock { $0.count }
            var tasks: [Tasks.Element] = []
            tasks.reserveCapacity(count)
            while tasks.count < count, let task = iterator.next() { tasks.append(task) }
            guard !tasks.isEmpty else { return nil }
            defer { next += tasks.count }
            let chunk = TaskChunk(id: next, tasks: tasks)
            made(chunk)
            return chunk
        }
    }
}
