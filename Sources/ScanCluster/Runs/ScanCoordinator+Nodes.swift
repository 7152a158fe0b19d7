extension ScanCoordinator {
    /// The systems behind a transport.
    package var nodes: [ScanSystem] { systems.all.filter { !$0.isLocal } }

    /// Calls `body` now and after each change of the systems, until the calling task is cancelled.
    package func followNodes(_ body: @Sendable () -> Void) async {
        let watcher = systems.watch()
        defer { systems.unwatch(watcher) }
        while !Task.isCancelled {
            body()
            await systems.change(for: watcher)
        }
    }
}
