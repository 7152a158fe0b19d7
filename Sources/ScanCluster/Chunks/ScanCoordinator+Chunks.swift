extension ScanCoordinator {
    /// Runs `tasks` like ``responses(to:bulk:observer:)``, but sends and runs short tasks together, up to `limit` in
    /// one message. This raises the number of short tasks per second severalfold.
    ///
    /// Each task still has exactly one response, with its own output or failure. A task that fails in a chunk is tried
    /// again alone at the end of the run, on the local system if that has a slot in time. The chunk then counts as one
    /// attempt, and as half of ``ScanCoordinator/Options/maxSystemFaults``. The time-out applies to a task that is
    /// tried alone; a chunk has `limit` times as long. The measured time of tasks decides how many go into a chunk;
    /// long tasks are sent alone. A ``RetryPolicy`` counts the attempt in the chunk as the task's first.
    /// - Parameters:
    ///   - tasks: pulled as they are needed; those that failed in a chunk are kept until the end.
    ///   - limit: most tasks of a chunk, from 1 to 65,536; other numbers count as the nearest of them.
    ///   - observer: called with each event of a task, not of a chunk, as in ``responses(to:bulk:observer:)``.
    /// - Returns: a sequence that throws what ``responses(to:bulk:observer:)`` would.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, inChunksOf limit: Int,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        TaskResponses(capacity: options.responseBuffer, executor: executor) { [self] outlet async throws(ScanError) in
            let events = observer.map(ChunkEvents<Work>.init)
            // Both runs are one to those who follow the progress.
            systems.beginRun()
            defer { systems.endRun() }
            let failed = try await runTogether(
                tasks, inChunksOf: min(max(1, limit), 1 << 16), into: outlet.channel, events)
            if !failed.isEmpty { try await runAlone(failed, into: outlet.channel, events) }
        }
    }

    /// Systems that may fail while they run a chunk.
    private var chunkFaults: Int { (options.maxSystemFaults + 1) / 2 }

    /// Runs the tasks in chunks.
    /// - Returns: those that are to be tried again.
    private func runTogether<Work: ScanTask>(
        _ tasks: some Sequence<Work> & Sendable, inChunksOf limit: Int, into channel: TaskResponses<Work>.Channel,
        _ events: ChunkEvents<Work>?
    ) async throws(ScanError) -> [FailedTask<Work>] {
        var failed: [FailedTask<Work>] = []
        let size = Locked(ChunkSize(limit: limit))
        let open = Locked<[Int: [Work]]>([:])
        let chunks = ChunkSequence(tasks: tasks, size: size) { chunk in
            open.withLock { $0[chunk.id] = chunk.tasks }
            events?.made(chunk)
        }
        var together = options
        together.timeout = options.timeout.map { min($0, .seconds(1e9)) * limit }
        together.maxAttempts = 1
        together.maxSystemFaults = chunkFaults
        var coordinator = with(together)
        let errors = Locked<[Int: ScanError.Code]>([:])
        coordinator.traits.onReport = events?.reported
        coordinator.traits.onError = { place, code in errors.withLock { $0[place] = code } }
        for try await response in coordinator.responses(to: chunks, observer: events?.together) {
            let tasks = open.withLock { $0.removeValue(forKey: response.id) } ?? []
            if case .success = response.result {
                size.withLock { $0.measure(response.seconds / Double(tasks.count)) }
            }
            var answers: [SharedResponse<TaskResponse<Work>>] = []
            answers.reserveCapacity(tasks.count)
            var failures = 0
            let hasRun = if case .success = response.result { true } else { false }
            let code = hasRun ? nil : errors.withLock { $0.removeValue(forKey: response.index) }
            response.forEachPart(of: tasks) { task, answer in
                var isRetried = false
                if case .failure = answer.result {
                    failures += 1
                    isRetried = triesAgain(task, hasThrown: hasRun, after: code)
                }
                events?.answered(answer, cost: task.cost, isRetried: isRetried)
                if isRetried {
                    failed.append(.init(index: answer.index, task: task, time: clock.now))
                } else {
                    answers.append(SharedResponse(answer))
                }
            }
            // The system had responded to the chunk with them.
            if failures > 0, hasRun {
                systems.discount(failures, of: response.system, asFailed: true)
            }
            if !channel.send(contentsOf: answers) { await channel.room() }
        }
        return failed
    }

    /// Runs tasks that failed in chunks.
    private func runAlone<Work: ScanTask>(
        _ failed: [FailedTask<Work>], into channel: TaskResponses<Work>.Channel, _ events: ChunkEvents<Work>?
    ) async throws(ScanError) {
        var alone = options
        alone.maxAttempts = options.maxAttempts - 1
        alone.maxSystemFaults = max(1, options.maxSystemFaults - chunkFaults)
        var coordinator = with(alone)
        coordinator.traits.failures = failed.map(\.time)[...]
        let observer = events?.alone(failed.map(\.index))
        for try await response in coordinator.responses(to: failed.map(\.task), observer: observer) {
            let index = failed[response.index].index
            if !channel.send(SharedResponse(response.afterChunk(at: index))) { await channel.room() }
        }
    }

    /// Whether a task that failed in a chunk is tried again alone. `hasThrown`: it has thrown; else the chunk was lost, with
    /// the error `code` if there was one.
    private func triesAgain(_ task: some ScanTask, hasThrown: Bool, after code: ScanError.Code?) -> Bool {
        guard let policy = task.retryPolicy else { return options.maxAttempts > 1 }
        if policy.attempts < 2 { return false }
        return hasThrown ? policy.retriesThrownErrors : code.map { !policy.finalErrors.contains($0) } ?? true
    }
}

/// A task that failed in a chunk, its place in the run, and when that was.
private struct FailedTask<Work: ScanTask> {
    let index: Int
    let task: Work
    let time: Instant
}

extension TaskResponse {
    /// Calls `body` with the response of each task, if this is the response to a chunk of `tasks`.
    fileprivate func forEachPart<Part: ScanTask>(
        of tasks: [Part], _ body: (Part, TaskResponse<Part>) -> Void
    ) where Work == TaskChunk<Part> {
        let seconds = seconds / Double(tasks.count)
        func hand(_ place: Int, _ result: Result<Part.Output, TaskFailure>) {
            body(
                tasks[place],
                TaskResponse<Part>(
                    id: tasks[place].id, index: id + place, result: result, system: system, attempt: attempt,
                    seconds: seconds))
        }
        switch result {
        case .success(let outcomes):
            // There is an outcome for each task: the validation of the chunk's output has checked that.
            outcomes.forEach { place, outcome in
                switch outcome {
                case .success(let output): hand(place, .success(output))
                case .failure(let failure):
                    let failure = TaskFailure(message: failure.message, system: system, attempt: attempt)
                    hand(place, .failure(failure))
                }
            }
        case .failure(let failure):
            for place in tasks.indices { hand(place, .failure(failure)) }
        }
    }

    /// The same response of the task at `index`, with the attempt in the chunk counted.
    fileprivate func afterChunk(at index: Int) -> TaskResponse {
        var response = self
        response.index = index
        response.attempt += 1
        if case .failure(var failure) = response.result {
            failure.attempt += 1
            response.result = .failure(failure)
        }
        return response
    }
}

/// Makes chunks of tasks when they are pulled, each of the size that is decided then. The tasks of a chunk need the same,
/// and have the same priority and retry policy.
private struct ChunkSequence<Tasks: Sequence & Sendable>: Sequence, Sendable where Tasks.Element: ScanTask {
    let tasks: Tasks
    let size: Locked<ChunkSize>
    let made: @Sendable (TaskChunk<Tasks.Element>) -> Void

    func makeIterator() -> AnyIterator<TaskChunk<Tasks.Element>> {
        var iterator = tasks.makeIterator()
        var next = 0
        // The first task of the next chunk, if other needs ended the last one.
        var held: Tasks.Element?
        return AnyIterator {
            let count = size.withLock { $0.count }
            var tasks: [Tasks.Element] = []
            tasks.reserveCapacity(count)
            guard let first = held ?? iterator.next() else { return nil }
            held = nil
            tasks.append(first)
            let (needs, priority, policy) = (TaskRequest.Needs(of: first), first.priority, first.retryPolicy)
            while tasks.count < count, let task = iterator.next() {
                guard TaskRequest.Needs(of: task) == needs, task.priority == priority, task.retryPolicy == policy
                else {
                    held = task
                    break
                }
                tasks.append(task)
            }
            defer { next += tasks.count }
            let chunk = TaskChunk(id: next, tasks: tasks)
            made(chunk)
            return chunk
        }
    }
}
