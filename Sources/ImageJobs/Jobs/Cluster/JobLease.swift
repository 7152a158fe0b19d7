import Foundation

/// The right to run a job of a shared folder, which its holder renews. The number is a fencing token: it increases with
/// each holder, and the files that a run writes apart from the catalogues are in a folder with this number.
package struct JobLease: Codable, Equatable, Sendable {
    package var v = 1
    package var number: Int
    /// The user's state folder on the holder's machine, by which processes of this machine are distinguished from
    /// others.
    package var owner: String
    /// Name of the holder's node, for users.
    package var node: String
    /// Incremented at each renewal.
    package var beat: Int
    /// Time in seconds without a renewal after which the job may be taken over.
    package var limit: Double

    /// Whether its run ended regularly.
    package var isReleased = false

    /// Time between two renewals, in seconds.
    var period: Double { limit / 5 }

    /// Valid numbers of leases; a job is started at most once per second.
    package static let numbers = 1...1_000_000_000
    /// Valid limits for `skyfarm node --job-lease`, in seconds.
    package static let limits = 1.0...3600

    /// Whether the values are valid, as nodes write them.
    package var isPossible: Bool { Self.numbers.contains(number) && Self.limits.contains(limit) }
}

/// Observations of a lease that another node holds. Only the local clock is used, since clocks of machines differ.
/// Pure.
package struct LeaseObservation: Equatable, Sendable {
    private var lease: JobLease
    private var changed: Double

    /// Records that the lease was seen for the first time, at `seconds` of a clock that also counts while the machine
    /// sleeps.
    package init(_ lease: JobLease, at seconds: Double) { (self.lease, changed) = (lease, seconds) }

    /// Records that the lease was seen again.
    package mutating func see(_ lease: JobLease, at seconds: Double) {
        if lease != self.lease { (self.lease, changed) = (lease, seconds) }
    }

    /// Returns whether the holder failed to renew the lease in time.
    package func isExpired(at seconds: Double) -> Bool { seconds - changed > lease.limit }
}

/// Decides when the holder of a lease must end its run. Pure.
package struct LeaseKeeper: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        case holds
        /// Another node has taken the job over, since a higher number exists.
        case superseded
        /// The lease could not be renewed for so long that another node may take the job over at any moment.
        case expired
    }

    private let limit: Double
    private var renewed: Double

    package init(limit: Double, at seconds: Double) { (self.limit, renewed) = (limit, seconds) }

    /// Evaluates an attempt to renew the lease. `newest` is the greatest existing number, or nil if it could not be
    /// read.
    package mutating func attempted(isRenewed: Bool, newest: Int?, own: Int, at seconds: Double) -> Verdict {
        if let newest, newest > own { return .superseded }
        if isRenewed, newest != nil { renewed = seconds }
        // Earlier than the limit of observers, which began to count later.
        return seconds - renewed > limit * 0.7 ? .expired : .holds
    }
}
