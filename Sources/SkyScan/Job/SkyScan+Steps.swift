package import ScanCluster
package import SkyExtraction
internal import SkyFITS

extension SkyScan {
    /// What the tasks of a step have in common.
    package struct Step {
        let name: ScanStep
        /// See ``TaskKey/basis``.
        let basis: UInt64
        /// Cost of all tasks, in the unit of ``ScanTask/cost``.
        let cost: Double
        /// The order of the bands, if the tasks read whole bands, which nodes keep for the next step; nil otherwise.
        let bands: BandOrder?
        /// The pixels that are missing if the task with this ID fails.
        let sector: (Int) -> PixelRect

        init(
            _ name: ScanStep, basis: UInt64 = 0, cost: Double, bands: BandOrder? = nil,
            sector: @escaping (Int) -> PixelRect
        ) {
            self.name = name
            self.basis = basis
            self.cost = cost
            self.bands = bands
            self.sector = sector
        }
    }

    /// Checksum of the background and of the plan, on which the tasks after pass 1 depend: see ``TaskKey/basis``.
    package func basis(_ background: BackgroundModel) throws -> UInt64 {
        if journal == nil { return 0 }
        return Checksum.of(try Checksum.of(background.slice(rows: plan.image.y)), try Checksum.of(plan))
    }

    /// Passes all results of a step to `take`: those in the journal, then those of the other tasks, which it runs.
    ///
    /// Results are in the journal when this returns or throws.
    package func run<Task: WindowTask>(
        _ step: Step, _ tasks: StepTasks<Task>, _ tally: inout ScanTally,
        take: (Int, Result<Task.Output, TaskFailure>) throws -> Void
    ) async throws where Task.ID == Int {
        observer(.began(step.name, tasks: tasks.count, cost: step.cost))
        guard let journal else {
            // If nodes have kept the pixels of the last band, the reader is not called for it.
            defer { reader.endPass() }
            tellSectors(of: step, tasks, waiting: Array(0..<tasks.count))
            let (name, observer) = (step.name, observer)
            let responses = responses(to: tasks, bands: step.bands) { observer(.job(name, $0)) }
            for try await response in responses {
                tally.count(response, step.name, sector: step.sector(response.id))
                try take(response.id, response.result)
            }
            return
        }
        // Those of the bands are known from the beginning.
        if [.cutIslands, .photometry].contains(step.name) { journal.expect(tasks.count) }
        let rest = try await resume(step, tasks, journal, &tally, take: take)
        tellSectors(of: step, tasks, waiting: rest)
        do {
            try await farmOut(step, tasks.selecting(rest), journal, &tally, take: take)
        } catch {
            // Finished results are kept. An error of the journal must not hide the first error.
            await journal.flushReporting()
            throw error
        }
        try await journal.flush()
    }

    private func tellSectors<Task: WindowTask>(of step: Step, _ tasks: StepTasks<Task>, waiting: [Int]) {
        let isWaiting = Set(waiting)
        let resumed = (0..<tasks.count).filter { !isWaiting.contains($0) }
        observer(
            .sectors(
                step.name, waiting: waiting.map { step.sector(tasks.id($0)) },
                resumed: resumed.map { step.sector(tasks.id($0)) }))
    }

    /// Passes the results in the journal to `take`.
    /// - Returns: the indices of the other tasks.
    private func resume<Task: WindowTask>(
        _ step: Step, _ tasks: StepTasks<Task>, _ journal: ScanJournal, _ tally: inout ScanTally,
        take: (Int, Result<Task.Output, TaskFailure>) throws -> Void
    ) async throws -> [Int] where Task.ID == Int {
        var rest: [Int] = []
        var (count, cost) = (0, 0.0)
        for index in 0..<tasks.count {
            let key = TaskKey(step: step.name, basis: step.basis, window: try tasks.key(index))
            guard journal.holds(key) else {
                rest.append(index)
                continue
            }
            try _Concurrency.Task.checkCancellation()
            let task = tasks.make(index)
            let output = try await journal.output(of: key, as: Task.Output.self) { try task.validate($0) }
            guard let output else {
                rest.append(index)
                continue
            }
            (count, cost) = (count + 1, cost + task.cost)
            try take(task.id, .success(output))
        }
        tally.resumed += count
        if count > 0 { observer(.resumed(step.name, tasks: count, cost: cost)) }
        return rest
    }

    private func farmOut<Task: WindowTask>(
        _ step: Step, _ tasks: StepTasks<Task>, _ journal: ScanJournal, _ tally: inout ScanTally,
        take: (Int, Result<Task.Output, TaskFailure>) throws -> Void
    ) async throws where Task.ID == Int {
        if tasks.count == 0 { return }
        let (name, observer) = (step.name, observer)
        // A task counts as finished when its result is durable: its event waits until then. Events and responses
        // come in the same order.
        let finished = FinishedEvents()
        let keys = try Dictionary(
            uniqueKeysWithValues: (0..<tasks.count).map { (tasks.id($0), try tasks.key($0)) })
        let responses = responses(to: tasks, bands: step.bands) { event in
            if case .taskFinished = event { finished.append(event) } else { observer(.job(name, event)) }
        }
        for try await response in responses {
            tally.count(response, name, sector: step.sector(response.id))
            if case .success(let output) = response.result, let window = keys[response.id] {
                let event = finished.removeFirst()
                let key = TaskKey(step: name, basis: step.basis, window: window)
                let report = { @Sendable in if let event { observer(.job(name, event)) } }
                // A resumed scan must not take over what another arithmetic gave.
                if differentNodes()[response.system] == nil {
                    try await journal.add(output, of: key, committed: report)
                } else {
                    report()
                }
            }
            try take(response.id, response.result)
        }
    }
}

/// Events of finished tasks whose results are on their way to the journal, oldest first.
private final class FinishedEvents: Sendable {
    private let events = Locked<[TaskEvent]>([])

    func append(_ event: TaskEvent) { events.withLock { $0.append(event) } }

    func removeFirst() -> TaskEvent? { events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
