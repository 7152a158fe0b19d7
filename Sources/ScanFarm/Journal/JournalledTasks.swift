internal import ScanBasics
internal import ScanCluster
internal import ScanNetwork
internal import TaskJournal

/// The tasks of a run with a journal, each of which is either run or has a recorded response.
///
/// ``next()`` is called by the run, on its executor, while the run's consumer takes ``recorded()``.
final class JournalledTasks<Work: ScanTask>: Sequence, @unchecked Sendable {
    // Sendable, since `tasks`, `hasEnded`, `count` and `encoder` are used by one caller at a time: by `lookAhead()`
    // before the run begins, and then by `next()` of the run. What others use as well is in `state`. The tasks of the
    // user are not pulled under its lock.
    typealias Recorded = (task: Work, place: Int, key: ResultKey)

    private struct State {
        /// Tasks without a response that were pulled before the run began, or whose response is damaged; oldest first.
        var ahead = Queue<(task: Work, place: Int)>()
        /// Tasks that were given to the run and whose response is not durable, by ID.
        var open: [Work.ID: (place: Int, key: ResultKey)] = [:]
        /// Tasks with a recorded response.
        var recorded: [Recorded] = []
        /// Whether every task was pulled.
        var hasEnded = false
        var failure: ScanError?
    }

    private let journal: FarmJournal
    /// Key of the value that the tasks share, which their results depend on.
    private let shared: BulkKey?
    /// Called for each response from the journal.
    let onRecorded: @Sendable () -> Void
    private var tasks: AnyIterator<Work>
    private var hasEnded = false
    /// Tasks that were pulled.
    private var count = 0
    private let encoder = WireEncoder()
    private let state = Locked(State())

    init(
        _ tasks: AnyIterator<Work>, sharing shared: BulkKey?, _ journal: FarmJournal,
        _ onRecorded: @escaping @Sendable () -> Void
    ) {
        (self.tasks, self.shared, self.journal, self.onRecorded) = (tasks, shared, journal, onRecorded)
    }

    func makeIterator() -> AnyIterator<Work> { AnyIterator { self.next() } }

    /// Number of recorded responses that are read at once.
    private static var batch: Int { 64 }
    /// Number of tasks to run that are pulled in search of recorded ones before the run begins. A run that was killed
    /// leaves few of them among the recorded ones.
    private static var mostAhead: Int { 1024 }

    /// Pulls tasks before the run begins, outside its executor.
    /// - Returns: Some with a recorded response; none if the run is to begin.
    func lookAhead() throws(ScanError) -> [Recorded] {
        var recorded: [Recorded] = []
        while recorded.count < Self.batch, state.withLock(\.ahead.count) < Self.mostAhead, let (task, place) = pull() {
            let key = try key(of: task)
            if try journal.holds(key, id: task.id) {
                recorded.append((task, place, key))
            } else {
                repeats(task, at: place)
            }
        }
        return recorded
    }

    /// Returns the next task to run.
    private func next() -> Work? {
        if state.withLock({ $0.failure != nil }) { return nil }
        do throws(ScanError) {
            while let (task, place) = state.withLock({ $0.ahead.popFirst() }) ?? pull() {
                let key = try key(of: task)
                // Before the journal is asked: a task that is not open any more is in the journal.
                try open(task, place, key)
                if try !journal.holds(key, id: task.id) { return task }
                state.withLock { state in
                    state.open[task.id] = nil
                    state.recorded.append((task, place, key))
                }
            }
        } catch {
            state.withLock { $0.failure = error }
        }
        return nil
    }

    /// Returns the next task of the sequence, which is not asked again after its end.
    private func pull() -> (task: Work, place: Int)? {
        if hasEnded { return nil }
        if let task = tasks.next() {
            defer { count += 1 }
            return (task, count)
        }
        hasEnded = true
        state.withLock { $0.hasEnded = true }
        return nil
    }

    private func key(of task: Work) throws(ScanError) -> ResultKey {
        do {
            return try journal.key(of: task, sharing: shared, encoder)
        } catch {
            throw ScanError(.journal, "task \(task.id) cannot be encoded: \(error)")
        }
    }

    private func open(_ task: Work, _ place: Int, _ key: ResultKey) throws(ScanError) {
        if state.withLock({ $0.open.updateValue((place, key), forKey: task.id) }) != nil {
            throw ScanError(
                .journal,
                "two tasks of '\(Work.typeName)' have the ID \(task.id): a run with a journal needs different IDs")
        }
    }

    /// Returns the place in the sequence and the key of a task that was given to the run.
    func find(_ id: Work.ID) -> (place: Int, key: ResultKey)? { state.withLock { $0.open[id] } }

    /// The task is over: its response is durable, or a failure.
    func close(_ id: Work.ID) { state.withLock { $0.open[id] = nil } }

    /// Returns the tasks with a recorded response that the run has skipped since the last call.
    /// - Throws: the error because of which ``next()`` has ended the run.
    func recorded() throws(ScanError) -> [Recorded] {
        try state.withLock { state throws(ScanError) in
            if let failure = state.failure { throw failure }
            defer { state.recorded = [] }
            return state.recorded
        }
    }

    /// Has a task run whose recorded response cannot be used.
    func repeats(_ task: Work, at place: Int) { state.withLock { $0.ahead.append((task, place)) } }

    /// Whether every task was pulled, and none is to be run.
    var isOver: Bool { state.withLock { $0.hasEnded && $0.ahead.count == 0 } }
}

extension FarmJournal {
    /// Runs `tasks` by `run`, except those with a recorded response. A response is returned only when it is durable in the
    /// journal. Failures are not recorded: a further run tries these tasks again.
    /// - Parameters:
    ///   - tasks: pulled as they are needed.
    ///   - shared: key of the value that the tasks share.
    ///   - buffer: responses kept for a slow consumer.
    ///   - onRecorded: called for each response from the journal.
    ///   - run: runs tasks.
    /// - Returns: Exactly one response for each task.
    func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, sharing shared: BulkKey?, buffer: Int,
        onRecorded: @escaping @Sendable () -> Void,
        by run: @escaping @Sendable (JournalledTasks<Work>) -> TaskResponses<Work>
    ) -> TaskResponses<Work> {
        TaskResponses(capacity: buffer) { outlet async throws(ScanError) in
            do throws(ScanError) {
                try await self.course(
                    of: JournalledTasks(AnyIterator(tasks.makeIterator()), sharing: shared, self, onRecorded), by: run,
                    to: outlet)
            } catch {
                // What is done is recorded and returned before the error.
                try? await self.flush()
                throw error
            }
            try await self.flush()
        }
    }

    private func course<Work: ScanTask>(
        of tasks: JournalledTasks<Work>, by run: @Sendable (JournalledTasks<Work>) -> TaskResponses<Work>,
        to outlet: TaskResponses<Work>.Outlet
    ) async throws(ScanError) {
        while true {
            let recorded = try tasks.lookAhead()
            if recorded.isEmpty { break }
            try await replay(recorded, of: tasks, to: outlet)
        }
        // Once more for tasks whose recorded response is damaged.
        while !tasks.isOver {
            for try await response in run(tasks) {
                try await take(response, of: tasks, to: outlet)
                try await replay(try tasks.recorded(), of: tasks, to: outlet)
            }
            try await replay(try tasks.recorded(), of: tasks, to: outlet)
        }
    }

    private func take<Work: ScanTask>(
        _ response: TaskResponse<Work>, of tasks: JournalledTasks<Work>, to outlet: TaskResponses<Work>.Outlet
    ) async throws(ScanError) {
        var response = response
        let known = tasks.find(response.id)
        if let known { response.index = known.place }
        if case .success = response.result, let known {
            try await add(response, of: known.key) { [response] in
                tasks.close(response.id)
                outlet.send(response)
            }
        } else {
            tasks.close(response.id)
            outlet.send(response)
        }
        await outlet.room()
    }

    private func replay<Work: ScanTask>(
        _ recorded: [JournalledTasks<Work>.Recorded], of tasks: JournalledTasks<Work>,
        to outlet: TaskResponses<Work>.Outlet
    ) async throws(ScanError) {
        if recorded.isEmpty { return }
        let found = try await responses(to: recorded.map { (task: $0.task, key: $0.key) })
        for (response, (task, place, _)) in zip(found, recorded) {
            guard var response else {
                tasks.repeats(task, at: place)
                continue
            }
            // It may have had another one in the run that recorded it.
            response.index = place
            tasks.onRecorded()
            outlet.send(response)
        }
        await outlet.room()
    }
}
