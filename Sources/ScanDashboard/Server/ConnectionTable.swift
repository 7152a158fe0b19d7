/// Deadlines of connections.
///
/// A connection carries one request and one answer, each with a time limit. Watchers have no deadline here: the server
/// ends a stream that is idle.
struct ConnectionTable<ID: Hashable> {
    /// Seconds within which a request must arrive.
    let requestSeconds: Double
    /// Seconds within which an answer must be read.
    let answerSeconds: Double
    private var deadlines: [ID: Double] = [:]

    init(requestSeconds: Double, answerSeconds: Double) {
        self.requestSeconds = requestSeconds
        self.answerSeconds = answerSeconds
    }

    /// Number of connections, without watchers.
    var count: Int { deadlines.count }

    mutating func arrive(_ id: ID, at time: Double) { deadlines[id] = time + requestSeconds }

    mutating func answer(_ id: ID, at time: Double) { deadlines[id] = time + answerSeconds }

    mutating func watch(_ id: ID) { deadlines[id] = nil }

    mutating func leave(_ id: ID) { deadlines[id] = nil }

    /// Removes and returns the connections whose deadline has passed.
    mutating func overdue(at time: Double) -> [ID] {
        let late = deadlines.filter { $0.value <= time }.map(\.key)
        for id in late { deadlines[id] = nil }
        return late
    }
}
