package import ScanCluster
package import ScanNetwork

/// Ends a node that has had no coordinator for some time.
package final class IdleStop: Sendable {
    /// One value when the time has come.
    package let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    private let limit: Duration
    private let clock: any ScanClock
    private let presence = Locked(CoordinatorPresence())
    private let ended = Locked(false)

    /// Whether the time has come.
    package var hasCome: Bool { ended.withLock { $0 } }

    /// Nil without a limit. The time counts from now on.
    package init?(after limit: Duration?, clock: any ScanClock) {
        guard let limit else { return nil }
        (ends, end) = AsyncStream.makeStream()
        (self.limit, self.clock) = (limit, clock)
        wait(since: 0)
    }

    /// A coordinator has come or gone.
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
