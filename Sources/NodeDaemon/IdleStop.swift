package import ScanCluster
package import ScanNetwork

/// Ends a node that has had no coordinator for a given time.
package final class IdleStop: Sendable {
    /// Yields one value when the limit is reached.
    package let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    private let limit: Duration
    private let clock: any ScanClock
    private let presence = Locked(CoordinatorPresence())
    private let ended = Locked(false)

    /// Whether the limit was reached.
    package var hasCome: Bool { ended.withLock { $0 } }

    /// Starts to count the time, or returns nil if there is no limit.
    package init?(after limit: Duration?, clock: any ScanClock) {
        guard let limit else { return nil }
        (ends, end) = AsyncStream.makeStream()
        (self.limit, self.clock) = (limit, clock)
        wait(since: 0)
    }

    /// Records that a coordinator connected or disconnected.
    package func note(_ event: NodeServer.Event) {
        switch event {
        case .connected: presence.withLock { $0.begin() }
        case .disconnected: if let mark = presence.withLock({ $0.end() }) { wait(since: mark) }
        default: break
        }
    }

    private func wait(since mark: Int) {
        _ = clock.schedule(at: clock.now.advanced(by: limit)) { [weak self] in
            guard let self, presence.withLock({ $0.isIdle(since: mark) }) else { return }
            ended.withLock { $0 = true }
            end.yield()
        }
    }
}
