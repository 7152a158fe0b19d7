package import ScanCluster

extension Systems {
    /// Waits until there is a system, for `limit` at most.
    /// - Returns: whether there is one.
    package func first(within limit: Duration) async -> Bool {
        let watcher = watch()
        defer { unwatch(watcher) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while snapshot.isEmpty, !Task.isCancelled { await change(for: watcher) }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        return !snapshot.isEmpty
    }
}
