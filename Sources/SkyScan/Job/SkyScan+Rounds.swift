internal import ScanCluster
internal import SkyExtraction
internal import SkyMeasurement

extension SkyScan {
    /// What a scan has found so far, and how.
    struct Progress {
        var exact: ExactScan
        var tally = ScanTally()
    }

    /// Adds the outputs of all windows of a round: those in the journal, then those that the cluster gives.
    ///
    /// Results are in the journal when this returns or throws.
    /// - Throws: ``SkyScanError`` if there is no background and no window has one: detections would be meaningless.
    func run<Round: ScanRound>(_ round: Round, _ progress: inout Progress) async throws {
        let name = Round.Step.name
        var tasks = try RoundTasks(round, of: self, after: progress.exact.background)
        // The windows of cut islands and apertures are not known from the beginning, and may have any size.
        let areUnforeseen = [.cutIslands, .photometry].contains(name)
        if areUnforeseen { try skipExcess(&tasks, &progress) }
        let failures = progress.tally.missing.count
        observer(.began(name, tasks: tasks.indices.count, cost: tasks.cost))
        if areUnforeseen { journal?.expect(tasks.indices.count) }
        let resumed = try await resume(&tasks, &progress)
        observer(.sectors(name, waiting: tasks.indices.map(tasks.sector), resumed: resumed.map(tasks.sector)))
        do {
            try await farmOut(tasks, &progress)
        } catch {
            // Finished results are kept. An error of the journal must not hide the first error.
            await journal?.flushReporting()
            throw error
        }
        try await journal?.flush()
        guard progress.exact.background == nil, progress.tally.missing.count == failures + round.count else { return }
        let reason = progress.tally.missing.last?.reason ?? "no result"
        throw SkyScanError(
            Round.Step.self == ImageExtraction.self
                ? "the image could not be scanned: \(reason)"
                : "the background could not be measured anywhere, so nothing was scanned: \(reason)")
    }

    /// Takes out the windows that are too large for any system.
    private func skipExcess<Round>(_ tasks: inout RoundTasks<Round>, _ progress: inout Progress) throws {
        for index in tasks.indices {
            guard let reason = excess(of: tasks.sector(index)) else { continue }
            progress.tally.skip(Round.Step.name, sector: tasks.sector(index), reason: reason)
            try take(nil, of: index, in: tasks.round, &progress)
        }
        tasks.indices.removeAll { [tasks] in excess(of: tasks.sector($0)) != nil }
    }

    /// Takes out the windows whose outputs are in the journal, and adds these.
    /// - Returns: the indices of these windows.
    private func resume<Round>(_ tasks: inout RoundTasks<Round>, _ progress: inout Progress) async throws -> [Int] {
        guard let journal else { return [] }
        var (resumed, rest) = (tasks, tasks)
        (resumed.indices, rest.indices) = ([], [])
        for index in tasks.indices {
            var output: Round.Step.Output?
            if journal.holds(tasks.key(index)) {
                try Task.checkCancellation()
                let step = tasks.round.step(index)
                output = try await journal.output(of: tasks.key(index), as: Round.Step.Output.self) {
                    try step.validate($0)
                }
            }
            if let output {
                resumed.indices.append(index)
                try take(output, of: index, in: tasks.round, &progress)
            } else {
                rest.indices.append(index)
            }
        }
        let count = resumed.indices.count
        progress.tally.resumed += count
        if count > 0 { observer(.resumed(Round.Step.name, tasks: count, cost: resumed.cost)) }
        tasks = rest
        return resumed.indices
    }

    /// Has the cluster scan the windows that are left, and adds what it gives.
    private func farmOut<Round>(_ tasks: RoundTasks<Round>, _ progress: inout Progress) async throws {
        // If nodes have kept the pixels of the last band, the reader is not called for it.
        defer { reader.endPass() }
        if tasks.indices.isEmpty { return }
        let (name, observer, isJournalled) = (Round.Step.name, observer, journal != nil)
        // With a journal a task counts as finished when its result is durable: its event waits until then. Events and
        // responses come in the same order.
        let finished = FinishedEvents()
        let responses = responses(to: tasks) { event in
            if isJournalled, case .taskFinished = event { finished.append(event) } else { observer(.job(name, event)) }
        }
        for try await response in responses {
            progress.tally.count(response, name, sector: tasks.sector(response.id))
            let output = try? response.result.get()
            if let journal, let output {
                let event = finished.removeFirst()
                let report = { @Sendable in if let event { observer(.job(name, event)) } }
                // A resumed scan must not take over what another arithmetic gave.
                if differentNodes()[response.system] == nil {
                    try await journal.add(output, of: tasks.key(response.id), committed: report)
                } else {
                    report()
                }
            }
            try take(output, of: response.id, in: tasks.round, &progress)
        }
    }

    /// Adds the output of a window; nil if it was not scanned.
    private func take<Round: ScanRound>(
        _ output: Round.Step.Output?, of index: Int, in round: Round, _ progress: inout Progress
    ) throws {
        let output = output ?? round.step(index).missing
        if let found = Round.Step.sources(in: output) { observer(.found(Round.Step.name, x: found.x, y: found.y)) }
        try round.add(output, of: index, to: &progress.exact)
    }
}

/// Events of finished tasks whose results are on their way to the journal, oldest first.
private final class FinishedEvents: Sendable {
    private let events = Locked<[TaskEvent]>([])

    func append(_ event: TaskEvent) { events.withLock { $0.append(event) } }

    func removeFirst() -> TaskEvent? { events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
