package import ScanCluster

/// Decides for one link to a node: when to dial, what a connection is used for, and when to dial again. Pure.
package struct LinkState: Sendable {
    package enum Event: Sendable {
        /// The node is needed.
        case start
        /// The connection attempt succeeded. `hasJoined` is false if a system of that identity had joined before.
        case connected(SystemID, hasJoined: Bool)
        /// The connection attempt failed.
        case failed(ConnectError)
        /// The connection over which the node had joined ended.
        case lost(ConnectError)
        /// The time to wait is over.
        case retry
        /// The node is in use over another link: no attempt is needed.
        case standBy
        /// The other link has lost the node.
        case freed
        /// The node is no longer needed.
        case close
    }

    package enum Action: Equatable, Sendable {
        /// Make a connection attempt.
        case dial
        /// Send ``Event/retry`` at this time.
        case wait(until: Instant)
        /// Close the connection: the node is in use over another one.
        case disconnect
        /// Report to the requester of the attempt.
        case report(RemoteNodes.DialOutcome)
        /// Cancel timer and attempt, close the connection, report nothing more.
        case close
    }

    private enum Phase {
        /// Not needed, or its only attempt has ended. `start` leads to `dialling`, `standBy` to `standingBy`.
        case idle
        /// An attempt is under way. Its outcome leads to `joined`, `standingBy`, `waiting` or `idle`.
        case dialling
        /// The node has taken tasks over this link since then. Its loss leads to `waiting` or `idle`.
        case joined(since: Instant)
        /// The next attempt is scheduled. `retry` leads to `dialling`.
        case waiting
        /// The node takes tasks over another link. `freed` leads to `dialling` or `idle`.
        case standingBy
    }

    /// Wait after the first failure.
    package static let firstWait = Duration.milliseconds(250)
    /// Longest wait between attempts.
    package static let longestWait = Duration.seconds(15)
    /// A connection that lasted this long resets the wait. A node that crashes after each task is therefore dialled at
    /// growing intervals.
    package static let probation = Duration.seconds(10)

    /// The status that users see.
    package private(set) var status: NodeState.Status
    /// Identity of the node that was connected last.
    package private(set) var identity: SystemID?
    private var phase = Phase.idle
    private var failures = 0
    private let isPersistent: Bool

    /// A link that has not been started. One that is not persistent makes one attempt for each `start`.
    package init(isPersistent: Bool = true) {
        self.isPersistent = isPersistent
        status = isPersistent ? .connecting : .closed
    }

    package var isStandingBy: Bool { if case .standingBy = phase { true } else { false } }

    /// Handles an event and returns what to do, in order. The jitter, from 0 to 1, prevents many coordinators from
    /// dialling a returning node at the same moment.
    package mutating func handle(_ event: Event, at now: Instant, jitter: Double) -> [Action] {
        switch (event, phase) {
        case (.start, .idle):
            status = .connecting
            phase = .dialling
            return [.dial]
        case (.start, .joined), (.start, .standingBy): return [.report(.connected)]
        case (.start, .dialling), (.start, .waiting): return []

        case (.connected(let id, let hasJoined), .dialling):
            identity = id
            phase = hasJoined ? .joined(since: now) : .standingBy
            status = hasJoined ? .joined : .duplicate(of: "")
            return (hasJoined ? [] : [.disconnect]) + [.report(.connected)]
        // An attempt that was cancelled.
        case (.connected, _): return [.disconnect]

        case (.failed(let error), .dialling): return ended(error, at: now, jitter) + [.report(.failed(error))]
        case (.failed, _): return []

        case (.lost(let error), .joined(let since)):
            if now.since(since) >= Self.probation { failures = 0 }
            return ended(error, at: now, jitter) + [.report(.ended)]
        case (.lost, _): return []

        case (.retry, .waiting):
            phase = .dialling
            return [.dial]
        case (.retry, _): return []

        case (.standBy, .idle), (.standBy, .standingBy):
            phase = .standingBy
            status = .duplicate(of: "")
            return [.report(.connected)]
        case (.standBy, .joined): return [.report(.connected)]
        case (.standBy, .dialling), (.standBy, .waiting): return []

        case (.freed, .standingBy):
            phase = isPersistent ? .dialling : .idle
            if isPersistent { return [.dial] }
            status = .closed
            return [.report(.ended)]
        case (.freed, _): return []

        case (.close, _):
            phase = .idle
            status = .closed
            return [.close]
        }
    }

    private mutating func ended(_ error: ConnectError, at now: Instant, _ jitter: Double) -> [Action] {
        status = .failed(error)
        guard isPersistent else {
            phase = .idle
            return []
        }
        phase = .waiting
        let wait = min(Self.firstWait * (1 << min(failures, 16)), Self.longestWait)
        failures += 1
        return [.wait(until: now.advanced(by: wait * (0.5 + jitter / 2)))]
    }
}
