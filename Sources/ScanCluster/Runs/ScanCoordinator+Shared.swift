extension ScanCoordinator {
    /// Runs `tasks`, all of which have the bulk bytes of `source`, under its key. A system gets no task before it has the
    /// bytes, so that they are sent to it once, as long as it has memory to keep them and stays connected.
    package func responses<Work: ScanTask>(
        to tasks: some Sequence<Work> & Sendable, sharing source: BulkSource,
        observer: (@Sendable (TaskEvent) -> Void)?
    ) -> TaskResponses<Work> {
        TaskResponses(capacity: options.responseBuffer, executor: executor) { [self] outlet async throws(ScanError) in
            // Systems join it once they have the bytes.
            let primed = Systems(clock: systems.clock)
            systems.beginRun(on: primed)
            let priming = Task { await primed.follow(systems, priming: source) }
            defer {
                priming.cancel()
                systems.endRun(on: primed)
            }
            let coordinator = ScanCoordinator(systems: primed, options: options, clock: clock, executor: executor)
            for try await response in coordinator.responses(to: tasks, bulk: { _ in source }, observer: observer) {
                if !outlet.send(response) { await outlet.room() }
            }
        }
    }
}

extension Systems {
    /// Has the systems of `others`, as they join and leave, once they have the bytes of `source`, until the calling task is
    /// cancelled.
    fileprivate func follow(_ others: Systems, priming source: BulkSource) async {
        let watcher = others.watch()
        defer { others.unwatch(watcher) }
        await withDiscardingTaskGroup { group in
            var known: [SystemID: ScanSystem] = [:]
            while !Task.isCancelled {
                let present = others.all
                let systems = Dictionary(present.map { ($0.id, $0) }) { $1 }
                // One that was connected anew is another system with the same identity.
                for (id, system) in known where systems[id] !== system { leave(id) }
                for system in present where known[system.id] !== system {
                    group.addTask { await self.prime(system, of: others, with: source) }
                }
                known = systems
                if others.isClosed { close() }
                await others.change(for: watcher)
            }
            group.cancelAll()
        }
    }

    /// Adds a system once it has the bytes. One that does not know how to keep them gets them with its tasks.
    private func prime(_ system: ScanSystem, of others: Systems, with source: BulkSource) async {
        note(joining: 1)
        defer { note(joining: -1) }
        do throws(ScanError) {
            if !system.isLocal { _ = try await system.run(SharePrimer(), attempt: 1, bulk: source) }
        } catch {
            guard [.unknownType, .refused].contains(error.code) else { return }
        }
        admit(system)
        // It may have left meanwhile.
        if !others.all.contains(where: { $0 === system }), all.contains(where: { $0 === system }) { leave(system.id) }
    }
}
