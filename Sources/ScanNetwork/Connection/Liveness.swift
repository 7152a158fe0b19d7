package import ScanCluster

/// Decides when to send a heartbeat and when a silent peer is considered dead. Pure.
package struct Liveness {
    /// What to do now.
    package enum Action: Equatable {
        /// Send a heartbeat with this token, and check again at ``Liveness/nextCheck``.
        case ping(UInt64)
        /// Check again at ``Liveness/nextCheck``.
        case wait
        /// The peer is dead.
        case lost
    }

    private let heartbeat: Duration
    private let silence: Duration
    private var lastSign: Instant
    private var nextPing: Instant
    private var token: UInt64 = 0
    private var sentAt: Instant?
    /// Time from the last answered heartbeat to its answer.
    package private(set) var roundTrip: Duration?

    /// A peer that was last heard of at `now`.
    package init(timing: ConnectionTiming, now: Instant) {
        heartbeat = timing.heartbeat
        silence = timing.silence
        lastSign = now
        nextPing = now
    }

    /// When to call ``check(at:)`` next.
    package var nextCheck: Instant { min(nextPing, lastSign.advanced(by: silence)) }

    /// Bytes came from the peer, or the full socket accepted more bytes for it.
    package mutating func sign(at now: Instant) { lastSign = max(lastSign, now) }

    /// The peer answered a heartbeat.
    package mutating func pong(_ token: UInt64, at now: Instant) {
        guard token == self.token, let sent = sentAt else { return }
        roundTrip = now.since(sent)
        sentAt = nil
    }

    /// Decides what is due.
    package mutating func check(at now: Instant) -> Action {
        if now >= lastSign.advanced(by: silence) { return .lost }
        guard now >= nextPing else { return .wait }
        nextPing = now.advanced(by: heartbeat)
        token &+= 1
        sentAt = now
        return .ping(token)
    }
}
