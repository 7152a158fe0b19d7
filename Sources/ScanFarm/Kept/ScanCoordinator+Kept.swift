import ScanBasics
public import ScanCluster
import ScanNetwork

extension ScanCoordinator {
    /// Runs `tasks`, whose outputs stay on the systems that compute them: only where they are comes back. The nodes serve
    /// `Keeping<Work>`.
    /// - Parameters:
    ///   - tasks: the tasks.
    ///   - bulk: the bytes that travel beside a task.
    ///   - observer: called with each event.
    /// - Returns: a sequence that throws what ``responses(to:bulk:observer:)`` would.
    public func responses<Work: ScanTask>(
        keeping tasks: some Sequence<Work> & Sendable, bulk: (@Sendable (Work) -> BulkSource?)? = nil,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> KeptResponses<Work> {
        let open = Locked<[Int: Work]>([:])
        let source = bulk.map { bulk in { @Sendable (keeping: Keeping<Work>) in keeping.work.flatMap(bulk) } }
        let responses = responses(to: KeepingTasks(tasks: tasks, open: open), bulk: source, observer: observer)
        return KeptResponses(responses: responses, open: open, bulk: bulk)
    }

    /// Fetches an output that was kept.
    /// - Parameters:
    ///   - kept: the result.
    ///   - ifLost: what happens if it is not kept any more.
    /// - Returns: the output.
    /// - Throws: `KeptResultLost`; if the task is done again, `ScanError` or its `TaskFailure`.
    public func value<Work: ScanTask>(
        of kept: KeptResult<Work>, ifLost: KeptResult<Work>.IfLost = .computeAgain
    ) async throws -> Work.Output {
        try await coded(kept, ifLost).output
    }

    /// The output as the bulk bytes of later tasks, which get it by `context.shared(_:)`. They prefer the system that keeps it,
    /// where it is read in place; another one is sent the output.
    /// - Parameters:
    ///   - kept: the result.
    ///   - ifLost: what happens if it has to be sent and is not kept any more. With `.fail` the run of the later tasks then ends
    ///     with `ScanError` and the code `bulkUnreadable`.
    /// - Returns: the source.
    public func source<Work: ScanTask>(
        of kept: KeptResult<Work>, ifLost: KeptResult<Work>.IfLost = .computeAgain
    ) -> BulkSource {
        let (key, reference) = (kept.handle.key, kept.handle.reference)
        note([key], heldBy: kept.system)
        for other in systems.snapshot where !other.isLocal && other.name != kept.system {
            note(reference.origin, lackedBy: other.name)
        }
        return BulkSource(
            key: key, reference: reference, byteCount: kept.byteCount, isRelayed: true, isPackable: false
        ) { [self] _ in
            let coded = try await coded(kept, ifLost).bytes
            return BulkBytes(byteCount: coded.count) { memory in coded.withUnsafeBytes { memory.copyMemory(from: $0) } }
        }
    }

    /// Tells the system that keeps an output to forget it. Without that it is forgotten some time after its last use.
    public func release<Work: ScanTask>(_ kept: KeptResult<Work>) async {
        _ = await answer(.release(kept.handle), of: kept)
    }

    /// An output, decoded and coded: from the system that keeps it, or by doing the task again.
    private func coded<Work: ScanTask>(
        _ kept: KeptResult<Work>, _ ifLost: KeptResult<Work>.IfLost
    ) async throws -> (output: Work.Output, bytes: [UInt8]) {
        if let bytes = await answer(.fetch(kept.handle), of: kept)?.value,
            let output = try? WireDecoder().decode(Work.Output.self, from: bytes),
            (try? kept.task.validate(output)) != nil
        {
            return (output, bytes)
        }
        try Task.checkCancellation()
        guard ifLost == .computeAgain else { throw KeptResultLost(system: kept.system) }
        let task = Keeping<Work>(.compute(kept.task), of: kept.task.id)
        let bulk = kept.bulk
        for try await response in responses(to: [task], bulk: { $0.work.flatMap { bulk?($0) } }) {
            // It was validated when it arrived.
            let bytes = try response.get().value ?? []
            return (try WireDecoder().decode(Work.Output.self, from: bytes), bytes)
        }
        throw KeptResultLost(system: kept.system)
    }

    /// The answer of the system that keeps a result, by a task or, if it takes none, by a call; nil if it has ended, or does
    /// not answer.
    private func answer<Work: ScanTask>(
        _ step: Keeping<Work>.Step, of kept: KeptResult<Work>
    ) async -> Keeping<Work>.Output? {
        let ids = systems.snapshot.filter { $0.name == kept.system }.map(\.id)
        var options = options
        (options.waitForSystems, options.maxAttempts, options.maxSystemFaults) = (.zero, 1, 1)
        let there = ScanCoordinator(
            systems: systems.subset(ids), options: options, clock: clock, executor: executor)
        do {
            for try await response in there.responses(to: [Keeping<Work>(step, of: kept.task.id)]) {
                return try response.get()
            }
        } catch {
            // The system has left: it has ended, or takes no tasks.
        }
        guard let call, let address = systems.address(of: kept.system) else { return nil }
        switch step {
        case .fetch(let handle):
            let bytes = await KeptCall.fetch(handle, count: kept.byteCount, at: address, by: call)
            return bytes.map { Keeping<Work>.Output(value: $0) }
        case .release(let handle):
            await KeptCall(handle: handle, action: .release).send(to: address, by: call)
        case .keep, .compute: break
        }
        return nil
    }
}
