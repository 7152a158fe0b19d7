import Synchronization

/// Takes note of attempts that end, on whatever thread, before their job looks at them.
final class AttemptEnds: Sendable {
    private let systems: Systems
    private let clock: any ScanClock
    private let unseen = Atomic<Int>(0)

    init(systems: Systems, clock: any ScanClock) {
        self.systems = systems
        self.clock = clock
    }

    /// Attempts that have ended and that their job has not looked at.
    var count: Int { unseen.load(ordering: .relaxed) }

    /// An attempt ended: its room is free for other jobs.
    /// - Returns: now.
    func note(_ reservation: SystemsState.Reservation, as outcome: SystemsState.Outcome) -> Instant {
        unseen.add(1, ordering: .relaxed)
        let now = clock.now
        systems.release(reservation, as: outcome, at: now)
        return now
    }

    /// The job looks at one of them.
    func take() { unseen.subtract(1, ordering: .relaxed) }
}
