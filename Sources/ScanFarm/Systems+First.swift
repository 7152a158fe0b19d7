package import ScanCluster

extension Systems {
    /// Waits until there is a system, but at most for `limit`.
    /// - Returns: Whether there is a system.
    package func first(within limit: Duration) async -> Bool {
        await wait(within: limit) { !$0.isEmpty }
        return !snapshot.isEmpty
    }

    /// Waits until `condition` holds for the systems, but at most for `limit`.
    package func wait(within limit: Duration, until condition: @escaping @Sendable ([SystemSnapshot]) -> Bool) async {
        let watcher = watch()
        defer { unwatch(watcher) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while !condition(snapshot), !Task.isCancelled { await change(for: watcher) }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
