import Foundation

/// The right to run a job of a shared folder, which its holder renews. The number is the fencing value: it grows with each
/// holder, and the files that a run writes beside the catalogues are in a folder with this number.
package struct JobLease: Codable, Equatable, Sendable {
    package var v = 1
    package var number: Int
    /// The user's state folder on the holder's machine; tells whether a process of this machine is meant.
    package var owner: String
    /// The holder's name, for users.
    package var node: String
    /// Grows with each renewal.
    package var beat: Int
    /// Seconds without a renewal after which the job may be taken over.
    package var limit: Double

    /// Whether its run has ended in order.
    package var isReleased = false

    /// Seconds between two renewals.
    var period: Double { limit / 5 }

    /// All numbers of leases: a job is begun again at most once in a second.
    package static let numbers = 1...1_000_000_000
    /// Limits that `skyfarm node --job-lease` takes, in seconds.
    package static let limits = 1.0...3600

    /// Whether it is one that a node writes.
    package var isPossible: Bool { Self.numbers.contains(number) && Self.limits.contains(limit) }
}

/// What a node has observed of a lease that another one holds. Only the own clock counts: clocks of machines differ. Pure.
package struct LeaseObservation: Equatable, Sendable {
    private var lease: JobLease
    private var changed: Double

    /// The lease was seen for the first time, at `seconds` of a clock that also counts while the machine sleeps.
    package init(_ lease: JobLease, at seconds: Double) { (self.lease, changed) = (lease, seconds) }

    /// The lease was seen again.
    package mutating func see(_ lease: JobLease, at seconds: Double) {
        if lease != self.lease { (self.lease, changed) = (lease, seconds) }
    }

    /// Whether its holder has not renewed it in time.
    package func isExpired(at seconds: Double) -> Bool { seconds - changed > lease.limit }
}

/// Decides when the holder of a lease must end its run. Pure.
package struct LeaseKeeper: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        case holds
        /// A higher number exists: another node has taken the job over.
        case superseded
        /// It could not be renewed for so long that another node may take it over any moment.
        case expired
    }

    private let limit: Double
    private var renewed: Double

    package init(limit: Double, at seconds: Double) { (self.limit, renewed) = (limit, seconds) }

    /// After an attempt to renew it. `newest`: the greatest number that exists, if that could be read.
    package mutating func attempted(isRenewed: Bool, newest: Int?, own: Int, at seconds: Double) -> Verdict {
        if let newest, newest > own { return .superseded }
        if isRenewed, newest != nil { renewed = seconds }
        // Earlier than the limit of observers, who began to count later.
        return seconds - renewed > limit * 0.7 ? .expired : .holds
    }
}
