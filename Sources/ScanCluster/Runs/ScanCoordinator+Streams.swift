extension ScanCoordinator {
    /// Runs the tasks that `tasks` yields while the run goes on, and returns exactly one response for each, in the order of
    /// completion.
    ///
    /// The run waits while no task is there, and ends after the sequence has: with a sequence that yields a task once the
    /// response to another has arrived, tasks depend on each other. At most 256 tasks are read ahead of the systems.
    ///
    /// ```swift
    /// let (tasks, input) = AsyncStream<Step>.makeStream()
    /// input.yield(Step(id: 0))
    /// for try await response in coordinator.responses(to: tasks) {
    ///     if let next = try response.get().next { input.yield(next) } else { input.finish() }
    /// }
    /// ```
    /// - Parameters:
    ///   - tasks: read on Swift's global executor, and cancelled with the run.
    ///   - observer: called with each event, in order, on the run's executor; must not block.
    ///   - bulk: the bytes that travel beside a task, read when an attempt needs them.
    /// - Returns: a sequence that throws what ``responses(to:bulk:observer:)`` would, and
    ///   ``ScanError/Code/tasksUnreadable`` if `tasks` throws.
    public func responses<Tasks: AsyncSequence & Sendable>(
        to tasks: Tasks, observer: (@Sendable (TaskEvent) -> Void)? = nil,
        bulk: (@Sendable (Tasks.Element) -> BulkSource?)? = nil
    ) -> TaskResponses<Tasks.Element> where Tasks.Element: ScanTask {
        TaskResponses { [self] in
            let stream = TaskStream<Tasks.Element>()
            let feeder = Task.detached { await stream.feed(from: tasks) }
            stream.onEnd { feeder.cancel() }
            return begin({ stream }, arrivingIn: stream, bulk: bulk, observer: observer)
        }
    }

    /// Runs `tasks`, and those that follow from their responses, until no task is left.
    ///
    /// ```swift
    /// let responses = coordinator.responses(to: [Folder(id: "/data")]) { response in
    ///     try response.get().subfolders.map { Folder(id: $0) }
    /// }
    /// ```
    /// - Parameters:
    ///   - tasks: the first tasks.
    ///   - observer: as in ``responses(to:bulk:observer:)``.
    ///   - next: the tasks that follow from a response. If it throws, the run ends with
    ///     ``ScanError/Code/tasksUnreadable``.
    /// - Returns: the responses to all of them.
    public func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, observer: (@Sendable (TaskEvent) -> Void)? = nil,
        followedBy next: @escaping @Sendable (TaskResponse<Work>) throws -> [Work]
    ) -> TaskResponses<Work> {
        TaskResponses(capacity: options.responseBuffer, executor: executor) { [self] outlet async throws(ScanError) in
            try await run(tasks, observer: observer, followedBy: next, into: outlet)
        }
    }

    private func run<Work: ScanTask>(
        _ tasks: some Sequence<Work> & Sendable, observer: (@Sendable (TaskEvent) -> Void)?,
        followedBy next: @Sendable (TaskResponse<Work>) throws -> [Work], into outlet: TaskResponses<Work>.Outlet
    ) async throws(ScanError) {
        let (stream, input) = AsyncStream<Work>.makeStream()
        defer { input.finish() }
        var open = 0
        for task in tasks {
            open += 1
            input.yield(task)
        }
        if open == 0 { return }
        for try await response in responses(to: stream, observer: observer) {
            let following: [Work]
            do {
                following = try next(response)
            } catch {
                throw ScanError(.tasksUnreadable, "what follows from a response is not known: \(String(words: error))")
            }
            open += following.count - 1
            for task in following { input.yield(task) }
            if open == 0 { input.finish() }
            if !outlet.send(response) { await outlet.room() }
        }
    }
}
