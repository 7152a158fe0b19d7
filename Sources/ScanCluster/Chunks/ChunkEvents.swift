/// Turns the events of a run of chunks into those of its tasks, for an observer.
final class ChunkEvents<Work: ScanTask>: Sendable {
    private struct Chunk {
        /// Place of its first task in the run.
        let first: Int
        /// Costs of its tasks.
        let costs: [Double]
    }
    private struct State {
        /// Chunks that are open, by their places.
        var chunks: [Int: Chunk] = [:]
        /// Chunks that were made.
        var made = 0
        /// Systems that were reported.
        var systems: Set<String> = []
    }
    private let state = Locked(State())
    private let observer: @Sendable (TaskEvent) -> Void

    /// Events for `observer`.
    init(_ observer: @escaping @Sendable (TaskEvent) -> Void) { self.observer = observer }

    /// The next chunk was made.
    func made(_ chunk: TaskChunk<Work>) {
        let costs = chunk.tasks.map(\.cost)
        state.withLock { state in
            state.chunks[state.made] = Chunk(first: chunk.id, costs: costs)
            state.made += 1
        }
    }

    /// The observer of the run of chunks. What comes of a task is reported by ``answered(_:cost:isRetried:)``.
    var together: @Sendable (TaskEvent) -> Void {
        { [self] event in
            switch event {
            case .systemJoined, .systemLeft: systems(event)
            case .taskProgressed, .taskLogged: break
            case .taskFinished(let place, _, _, _, _), .taskFailed(let place, _, _):
                state.withLock { $0.chunks[place] = nil }
            case .taskStarted(let place, _, _, _), .taskHedged(let place, _, _, _, _),
                .taskRecalled(let place, _, _, _), .taskRetried(let place, _, _, _, _),
                .attemptLost(let place, _, _, _, _):
                guard let chunk = state.withLock({ $0.chunks[place] }) else { return }
                for (part, cost) in chunk.costs.enumerated() { observer(event.of(chunk.first + part, cost: cost)) }
            }
        }
    }

    /// Takes what chunks report.
    var reported: @Sendable (ScanSystem.AttemptID, _ system: String, TaskReport) -> Void {
        { [self] id, system, report in
            guard let chunk = state.withLock({ $0.chunks[id.index] }) else { return }
            let (place, report) = report.part(of: chunk.costs.count)
            observer(TaskEvent(report, of: chunk.first + place, on: system, attempt: id.number))
        }
    }

    /// A task of a chunk has its response, or is tried again alone.
    func answered(_ response: TaskResponse<Work>, cost: Double, isRetried: Bool) {
        switch response.result {
        case .success:
            observer(
                .taskFinished(
                    index: response.index, system: response.system, attempt: response.attempt, cost: cost,
                    seconds: response.seconds))
        case .failure(let failure) where isRetried:
            observer(
                .taskRetried(
                    index: response.index, system: failure.system, attempt: failure.attempt, reason: failure.message,
                    log: failure.log))
        case .failure(let failure):
            observer(.taskFailed(index: response.index, cost: cost, failure: failure))
        }
    }

    /// The observer of the run of the tasks that failed in chunks, which had these places.
    func alone(_ places: [Int]) -> @Sendable (TaskEvent) -> Void {
        { [self] event in
            switch event {
            case .systemJoined, .systemLeft: systems(event)
            default: observer(event.of(event.index.map { places[$0] } ?? 0, attemptsBefore: 1))
            }
        }
    }

    private func systems(_ event: TaskEvent) {
        let isNew = state.withLock { state in
            switch event {
            case .systemJoined(let name, _): state.systems.insert(name).inserted
            case .systemLeft(let name): state.systems.remove(name) != nil
            default: true
            }
        }
        if isNew { observer(event) }
    }
}

extension TaskEvent {
    /// The task's place in the run; nil if the event is not about a task.
    fileprivate var index: Int? {
        switch self {
        case .systemJoined, .systemLeft: nil
        case .taskStarted(let index, _, _, _), .taskHedged(let index, _, _, _, _), .taskRecalled(let index, _, _, _),
            .taskFinished(let index, _, _, _, _), .taskRetried(let index, _, _, _, _),
            .attemptLost(let index, _, _, _, _), .taskProgressed(let index, _, _, _, _),
            .taskLogged(let index, _, _, _), .taskFailed(let index, _, _):
            index
        }
    }

    /// The same event of the task at `index`, with the attempts counted that were made before; its cost is `cost`.
    fileprivate func of(_ index: Int, cost: Double? = nil, attemptsBefore count: Int = 0) -> TaskEvent {
        switch self {
        case .systemJoined, .systemLeft: self
        case .taskStarted(_, let system, let attempt, let old):
            .taskStarted(index: index, system: system, attempt: attempt + count, cost: cost ?? old)
        case .taskHedged(_, let system, let attempt, let slow, let seconds):
            .taskHedged(index: index, system: system, attempt: attempt + count, slow: slow, seconds: seconds)
        case .taskRecalled(_, let system, let attempt, let slow):
            .taskRecalled(index: index, system: system, attempt: attempt + count, slow: slow)
        case .taskFinished(_, let system, let attempt, let old, let seconds):
            .taskFinished(
                index: index, system: system, attempt: attempt + count, cost: cost ?? old, seconds: seconds)
        case .taskRetried(_, let system, let attempt, let reason, let log):
            .taskRetried(index: index, system: system, attempt: attempt + count, reason: reason, log: log)
        case .attemptLost(_, let system, let attempt, let reason, let log):
            .attemptLost(index: index, system: system, attempt: attempt + count, reason: reason, log: log)
        case .taskProgressed(_, let system, let attempt, let fraction, let message):
            .taskProgressed(
                index: index, system: system, attempt: attempt + count, fraction: fraction, message: message)
        case .taskLogged(_, let system, let attempt, let line):
            .taskLogged(index: index, system: system, attempt: attempt + count, line: line)
        case .taskFailed(_, let old, var failure): failed(index, cost ?? old, &failure, count)
        }
    }

    private func failed(_ index: Int, _ cost: Double, _ failure: inout TaskFailure, _ count: Int) -> TaskEvent {
        failure.attempt += count
        return .taskFailed(index: index, cost: cost, failure: failure)
    }
}
