/// The time-outs of the attempts at a remote system. The time of one begins when a slot is free for it, as far as that is
/// known here: tasks of other coordinators are not. Confined to the executor of the system's transport.
final class AttemptLimits: @unchecked Sendable {
    // Sendable: touched only on the transport's executor.

    /// The time-out of one attempt.
    final class Limit: @unchecked Sendable {
        // Sendable: as above.
        fileprivate enum Phase {
            /// Goes to `running` or `over`.
            case waiting
            /// Goes to `over`.
            case running(TimerID)
            case over
        }
        fileprivate var phase = Phase.waiting
        fileprivate let duration: Duration
        fileprivate let expire: @Sendable () -> Void

        fileprivate init(_ duration: Duration, _ expire: @escaping @Sendable () -> Void) {
            self.duration = duration
            self.expire = expire
        }
    }
    private let clock: any ScanClock
    private var turns: SlotTurns<Limit>

    init(slots: Int, clock: any ScanClock) {
        self.clock = clock
        turns = SlotTurns(slots: slots)
    }

    /// An attempt was sent; `expire` is called when it had its turn for `duration`.
    func begin(_ duration: Duration, _ expire: @escaping @Sendable () -> Void) -> Limit {
        let limit = Limit(duration, expire)
        if turns.enter(limit) { start(limit) }
        return limit
    }

    /// The attempt is over. Call once, also if its time was.
    func end(_ limit: Limit) {
        let phase = limit.phase
        limit.phase = .over
        guard case .running(let timer) = phase else { return }
        clock.cancel(timer)
        let next = turns.leave { next in
            if case .waiting = next.phase { true } else { false }
        }
        if let next { start(next) }
    }

    private func start(_ limit: Limit) {
        limit.phase = .running(clock.schedule(at: clock.now.advanced(by: limit.duration), limit.expire))
    }
}
