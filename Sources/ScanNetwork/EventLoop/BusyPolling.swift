package import ScanCluster

/// Decides whether an idle loop polls for a while before it sleeps. Pure.
///
/// A thread whose core sleeps as well takes tens of microseconds to wake, and two loops that both sleep take four times
/// as long to answer each other as two that poll. So a loop whose waits are mostly short polls before it sleeps, about
/// as long as a sleeping loop takes to answer (A. Karlin, K. Li, M. Manasse and S. Owicki, "Empirical Studies of
/// Competitive Spinning for a Shared-Memory Multiprocessor", SOSP 1991). The cost: events that come every 40 to 200 us
/// keep a core busy as long as they last. The core has no other use: it is offered to other threads after each poll,
/// and if these keep needing it, the loop polls less and less often.
package struct BusyPolling {
    /// Longest time for which it polls; waits up to this are short.
    package static let limit = Duration.microseconds(200)
    /// An event that comes sooner than this was there before the wait; the wait counts as neither short nor long.
    package static let instant = Duration.microseconds(5)
    /// A short wait adds 1, a long one subtracts ``setback``, within 0 and this. Polling begins at this value and stops
    /// at 0.
    package static let habit = 8
    /// The cost of a long wait: about as many short waits must be gained to pay for one failed poll.
    package static let setback = 4
    /// If other threads keep the core this long, they need it. The time is longer than a tiny task, and shorter than
    /// the scheduler's time slice of a computing thread.
    package static let crowd = Duration.microseconds(500)
    /// A longer absence counts as this: the process may have been stopped.
    package static let longestAbsence = Duration.milliseconds(10)
    /// After other threads needed the core, the loop does not poll for a pause as long as its absence. The pause
    /// doubles each time that this happens again before a poll was of use, at most this number of times.
    package static let doublings = 10

    private var balance = 0
    private var isHabit = false
    private var crowds = 0
    private var began = Instant(nanoseconds: .min)
    /// Whether the current poll is a repeated one: an event that it finds came after the core was offered.
    private var looksAgain = false
    private var restrainedUntil = Instant(nanoseconds: .min)

    package init() {}

    /// A wait begins.
    /// - Returns: whether to poll, and then to call ``goesOn(after:at:)``, before sleeping.
    package mutating func begin(at now: Instant) -> Bool {
        began = now
        looksAgain = false
        return isHabit && now >= restrainedUntil
    }

    /// The poll found nothing, and the core was offered to other threads.
    /// - Parameters:
    ///   - absence: time until the loop's thread had the core again.
    ///   - now: the time.
    /// - Returns: whether to poll again.
    package mutating func goesOn(after absence: Duration, at now: Instant) -> Bool {
        looksAgain = absence < Self.crowd && now.since(began) < Self.limit
        if absence >= Self.crowd {
            restrainedUntil = now.advanced(by: min(absence, Self.longestAbsence) * (1 << crowds))
            crowds = min(crowds + 1, Self.doublings)
        }
        return looksAgain
    }

    /// The wait is over: there is something to do.
    package mutating func end(at now: Instant) {
        if looksAgain { crowds = 0 }
        let wait = now.since(began)
        guard wait >= Self.instant else { return }
        balance = wait <= Self.limit ? min(balance + 1, Self.habit) : max(balance - Self.setback, 0)
        if balance == Self.habit { isHabit = true }
        if balance == 0 { isHabit = false }
    }
}
