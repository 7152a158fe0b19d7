package import ScanCluster

/// Decides when a link dials its node: at once, and after failures ever later until a connection lasts, or not again.
/// Pure.
package struct LinkStateMachine {
    /// What the link must do.
    package enum Action: Equatable {
        case dial
        /// Dial at this time, with ``LinkStateMachine/retry()``.
        case wait(until: Instant)
        case nothing
    }

    private enum State {
        /// Not wanted yet, or no more, or has had its one try. `start` leads to `dialing`.
        case idle
        /// A try is under way. Its outcome leads to `connected` or `waiting`.
        case dialing
        /// The node is connected since then. Losing it leads to `waiting`.
        case connected(since: Instant)
        /// Time passes until `retry` leads to `dialing`.
        case waiting
        /// The node has joined under another address. `retry`, when that is lost, leads to `dialing`.
        case standingBy
    }

    /// Wait after the first failure.
    package static let firstWait = Duration.milliseconds(250)
    /// Longest wait between tries.
    package static let longestWait = Duration.seconds(15)
    /// A connection that has lived so long makes up for failures; a node that breaks down after each task does not.
    package static let probation = Duration.seconds(10)

    private var state = State.idle
    private var failures = 0

    private let isPersistent: Bool

    /// A link that is not wanted yet. One that is not persistent makes one try each time it is wanted.
    package init(isPersistent: Bool = true) { self.isPersistent = isPersistent }

    /// The node is wanted.
    package mutating func start() -> Action {
        guard case .idle = state else { return .nothing }
        state = .dialing
        return .dial
    }

    /// The try succeeded.
    package mutating func connected(at now: Instant) {
        guard case .dialing = state else { return }
        state = .connected(since: now)
    }

    /// The try failed, or the connection was lost. The jitter, from 0 to 1, keeps many coordinators from dialling a
    /// returning node at the same moment.
    package mutating func failed(at now: Instant, jitter: Double) -> Action {
        switch state {
        case .idle, .waiting, .standingBy: return .nothing
        case .dialing: break
        case .connected(let since):
            if now.since(since) >= Self.probation { failures = 0 }
        }
        guard isPersistent else {
            state = .idle
            return .nothing
        }
        state = .waiting
        let wait = min(Self.firstWait * (1 << min(failures, 16)), Self.longestWait)
        failures += 1
        return .wait(until: now.advanced(by: wait * (0.5 + jitter / 2)))
    }

    /// The connection is given up because the node has joined under another address.
    package mutating func standBy() {
        guard case .connected = state else { return }
        state = .standingBy
    }

    /// The wait is over, or there is a reason not to wait any longer.
    package mutating func retry() -> Action {
        switch state {
        case .waiting, .standingBy: break
        case .idle, .dialing, .connected: return .nothing
        }
        state = .dialing
        return .dial
    }

    /// The node is not wanted any more.
    package mutating func close() { state = .idle }
}
