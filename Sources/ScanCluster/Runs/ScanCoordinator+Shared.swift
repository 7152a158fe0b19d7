extension ScanCoordinator {
    /// Runs `tasks`, all of which have the bulk bytes of `source`, under its key. A system gets no task before it has the
    /// bytes, so that they are sent to it once, as long as it has memory to keep them and stays connected.
    package func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, sharing source: BulkSource,
        observer: (@Sendable (TaskEvent) -> Void)?
    ) -> TaskResponses<Work> {
        TaskResponses(capacity: options.responseBuffer, executor: executor) { [self] outlet async throws(ScanError) in
            let primed = PrimedSystems(systems)
            let priming = Task { await primed.follow(priming: source) }
            defer { priming.cancel() }
            var coordinator = self
            coordinator.traits.primed = primed
            for try await response in coordinator.responses(to: tasks, bulk: { _ in source }, observer: observer) {
                if !outlet.send(response) { await outlet.room() }
            }
        }
    }
}

/// The systems of a registry that have the bytes that the tasks of a run share. Their slots and their memory are those of
/// the registry, which all of its runs share.
final class PrimedSystems: Sendable {
    private let systems: Systems
    private let ready = Locked<[SystemID: ScanSystem]>([:])

    /// None yet.
    init(_ systems: Systems) { self.systems = systems }

    /// The systems that do not have the bytes yet. One that was connected anew is another system with the same identity.
    var missing: Set<SystemID> {
        let ready = ready.withLock { $0 }
        return Set(systems.all.lazy.filter { ready[$0.id] !== $0 }.map(\.id))
    }

    /// Sends the bytes of `source` to each system that is there or joins, until the calling task is cancelled.
    fileprivate func follow(priming source: BulkSource) async {
        let watcher = systems.watch()
        defer { systems.unwatch(watcher) }
        await withDiscardingTaskGroup { group in
            var known: [SystemID: ScanSystem] = [:]
            while !Task.isCancelled {
                let present = systems.all
                for system in present where known[system.id] !== system {
                    systems.note(joining: 1)
                    group.addTask { await self.prime(system, with: source) }
                }
                known = Dictionary(present.map { ($0.id, $0) }) { $1 }
                ready.withLock { $0 = $0.filter { known[$0.key] === $0.value } }
                await systems.change(for: watcher)
            }
            group.cancelAll()
        }
    }

    /// The system is ready once it has the bytes. One that does not know how to keep them gets them with its tasks.
    private func prime(_ system: ScanSystem, with source: BulkSource) async {
        // The runs are woken by this change.
        defer { systems.note(joining: -1) }
        do throws(ScanError) {
            if !system.isLocal { _ = try await system.run(SharePrimer(), attempt: 1, bulk: source) }
            if let key = source.key { systems.note(CollectionOfOne(key), heldBy: system.name) }
        } catch {
            guard [.unknownType, .refused].contains(error.code) else { return }
        }
        ready.withLock { $0[system.id] = system }
    }
}
