package import ScanCluster

/// Time in which the link from this process to its nodes was full: the socket of at least one connection took no more of
/// the bytes that waited for it. Pure.
package struct LinkUse: Sendable {
    private var fullCount = 0
    private var since: Instant?
    private var ended = Duration.zero

    package init() {}

    /// The socket of a connection became full, or took all bytes after that.
    package mutating func note(isFull: Bool, at now: Instant) {
        fullCount += isFull ? 1 : -1
        if fullCount == 1, isFull { since = now }
        guard fullCount == 0, let start = since else { return }
        ended += now.since(start)
        since = nil
    }

    /// The seconds until `now`.
    package func seconds(at now: Instant) -> Double { (ended + (since.map { now.since($0) } ?? .zero)) / .seconds(1) }
}
