import Synchronization

/// Records attempts that end, on any thread, before their run handles them.
final class AttemptEnds: Sendable {
    private let systems: Systems
    private let clock: any ScanClock
    private let unseen = Atomic<Int>(0)

    init(systems: Systems, clock: any ScanClock) {
        self.systems = systems
        self.clock = clock
    }

    /// Attempts that have ended and that their run has not handled.
    var count: Int { unseen.load(ordering: .relaxed) }

    /// An attempt ended: its room is free for other runs.
    /// - Returns: now.
    func note(_ reservation: SystemsState.Reservation, as outcome: AttemptOutcome) -> Instant {
        unseen.add(1, ordering: .relaxed)
        let now = clock.now
        systems.release(reservation, as: outcome, at: now)
        return now
    }

    /// The run handles one of them.
    func take() { unseen.subtract(1, ordering: .relaxed) }
}
