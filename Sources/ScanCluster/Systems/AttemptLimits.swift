/// The time-outs of the attempts at a remote system. The time of one begins when a slot is free for it, as far as that is
/// known here: tasks of other coordinators are not. Confined to the executor of the system's transport.
final class AttemptLimits: @unchecked Sendable {
    // Sendable: touched only on the transport's executor.

    private let clock: any ScanClock
    private var turns: SlotTurns<LimitedAttempt>

    init(slots: Int, clock: any ScanClock) {
        self.clock = clock
        turns = SlotTurns(slots: slots)
    }

    /// An attempt was sent; it expires when it had its turn for `duration`. Call at most once.
    func begin(_ attempt: LimitedAttempt, _ duration: Duration) {
        attempt.phase = .waiting(duration)
        if turns.enter(attempt) { start(attempt, duration) }
    }

    /// The attempt is over; call also if its time was, or if it had no limit.
    func end(_ attempt: LimitedAttempt) {
        let phase = attempt.phase
        attempt.phase = .unlimited
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = turns.leave { $0.isWaiting }
        if let next, case .waiting(let duration) = next.phase { start(next, duration) }
    }

    private func start(_ attempt: LimitedAttempt, _ duration: Duration) {
        attempt.phase = .running(
            clock.schedule(at: clock.now.advanced(by: duration)) { attempt.expire() })
    }
}

/// An attempt that ``AttemptLimits`` may limit. Confined to the executor of the system's transport.
class LimitedAttempt: @unchecked Sendable {
    // Sendable: touched only on the transport's executor.

    fileprivate enum Phase {
        /// Before its time-out begins, after its end, or without any. Goes to `waiting`.
        case unlimited
        /// A slot is not free for it yet. Goes to `running` or `unlimited`.
        case waiting(Duration)
        /// Goes to `unlimited`.
        case running(TimerID)
    }
    fileprivate var phase = Phase.unlimited

    fileprivate var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// Its time is over.
    func expire() {}
}
