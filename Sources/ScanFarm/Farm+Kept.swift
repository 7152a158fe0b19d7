public import ScanCluster

extension Farm {
    /// Runs `tasks` on all systems of the farm, whose outputs stay where they are computed; see
    /// `ScanCoordinator.responses(keeping:bulk:observer:)`. They are not in the journal.
    public func responses<Work: ScanTask>(
        keeping tasks: some Sequence<Work> & Sendable, bulk: (@Sendable (Work) -> BulkSource?)? = nil,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> KeptResponses<Work> {
        let observer = node.page?.observing(Work.typeName, observer) ?? observer
        return coordinator.responses(keeping: tasks, bulk: bulk, observer: observer)
    }

    /// Fetches an output that was kept; see `ScanCoordinator.value(of:ifLost:)`.
    public func value<Work: ScanTask>(
        of kept: KeptResult<Work>, ifLost: KeptResult<Work>.IfLost = .computeAgain
    ) async throws -> Work.Output {
        try await coordinator.value(of: kept, ifLost: ifLost)
    }

    /// An output that was kept as the bulk bytes of later tasks; see `ScanCoordinator.source(of:ifLost:)`.
    public func source<Work: ScanTask>(
        of kept: KeptResult<Work>, ifLost: KeptResult<Work>.IfLost = .computeAgain
    ) -> BulkSource {
        coordinator.source(of: kept, ifLost: ifLost)
    }

    /// Tells the system that keeps an output to forget it.
    public func release<Work: ScanTask>(_ kept: KeptResult<Work>) async { await coordinator.release(kept) }
}
