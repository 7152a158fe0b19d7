package import ScanCluster

/// Decides whether a loop that has nothing to do goes on looking for something for a moment before it sleeps. Pure.
///
/// A thread whose core has gone to sleep as well takes tens of microseconds to wake, and two loops that both sleep take
/// four times as long to answer each other as two that look. So a loop whose waits are mostly short looks before it
/// sleeps, about as long as one that sleeps takes to answer (A. Karlin, K. Li, M. Manasse and S. Owicki, "Empirical
/// Studies of Competitive Spinning for a Shared-Memory Multiprocessor", SOSP 1991). The price: what comes every 40 to 200
/// us keeps a core busy as long as it lasts. That is a core without other use: it is offered to other threads after each
/// look, and where these go on needing it, the loop looks ever less often.
package struct BusyPolling {
    /// Longest time for which it looks; waits up to this are short.
    package static let limit = Duration.microseconds(200)
    /// What comes sooner than this was there before the wait, and counts as neither short nor long.
    package static let instant = Duration.microseconds(5)
    /// A short wait counts 1, and a long one -``setback``, within 0 and this. It begins to look at this, and leaves off at 0.
    package static let habit = 8
    /// What a long wait counts: about as many short ones must be won to make up for one look in vain.
    package static let setback = 4
    /// If others keep the core this long, they need it: it is much for a tiny task, and little for a slice of computing.
    package static let crowd = Duration.microseconds(500)
    /// An absence that is longer than this counts as this: the process may have been stopped.
    package static let longestAbsence = Duration.milliseconds(10)
    /// After a crowd it does not look for as long as its absence was; after the next one, unless looking was of use in
    /// between, twice as long, and so on, this often.
    package static let doublings = 10

    private var balance = 0
    private var isHabit = false
    private var crowds = 0
    private var began = Instant(nanoseconds: .min)
    /// Whether it looks again in this wait: what is found then, a look found that came after the core was offered.
    private var looksAgain = false
    private var restrainedUntil = Instant(nanoseconds: .min)

    /// Sleeps at first.
    package init() {}

    /// A wait begins.
    /// - Returns: whether to look, and then to ask ``goesOn(after:at:)``, before sleeping.
    package mutating func begin(at now: Instant) -> Bool {
        began = now
        looksAgain = false
        return isHabit && now >= restrainedUntil
    }

    /// Nothing was there, and the core was offered to others.
    /// - Parameters:
    ///   - absence: time until it came back.
    ///   - now: the time.
    /// - Returns: whether to look again.
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
