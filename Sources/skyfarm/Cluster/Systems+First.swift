import ScanCluster

extension Systems {
    /// Waits until there is a system, for `limit` at most, or until `nobodyComes` has returned.
    /// - Returns: whether there is one.
    func first(within limit: Duration, orUntil nobodyComes: (@Sendable () async -> Void)? = nil) async -> Bool {
        let job = watch()
        defer { unwatch(job) }
        // What cannot be cancelled is not waited for.
        let (end, ending) = AsyncStream<Void>.makeStream()
        if let nobodyComes {
            Task {
                await nobodyComes()
                ending.finish()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while snapshot.isEmpty, !Task.isCancelled { await change(for: job) }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            group.addTask { for await _ in end {} }
            await group.next()
            group.cancelAll()
        }
        ending.finish()
        return !snapshot.isEmpty
    }
}
