/// Decides which connections have had their time. Pure.
///
/// A connection brings one request and gets one answer, each within a limit; a watcher may stay, since a stream that
/// does not move is ended by the server's limit for idleness.
struct ConnectionTable<ID: Hashable> {
    /// Seconds for a request to come.
    let requestSeconds: Double
    /// Seconds for an answer to be taken.
    let answerSeconds: Double
    private var deadlines: [ID: Double] = [:]

    init(requestSeconds: Double, answerSeconds: Double) {
        self.requestSeconds = requestSeconds
        self.answerSeconds = answerSeconds
    }

    /// Connections now, watchers left out.
    var count: Int { deadlines.count }

    mutating func arrive(_ id: ID, at time: Double) { deadlines[id] = time + requestSeconds }

    mutating func answer(_ id: ID, at time: Double) { deadlines[id] = time + answerSeconds }

    mutating func watch(_ id: ID) { deadlines[id] = nil }

    mutating func leave(_ id: ID) { deadlines[id] = nil }

    /// Those whose time is over; each is named once.
    mutating func overdue(at time: Double) -> [ID] {
        let late = deadlines.filter { $0.value <= time }.map(\.key)
        for id in late { deadlines[id] = nil }
        return late
    }
}
