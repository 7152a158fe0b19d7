/// Decides which connections have exceeded their time.
///
/// A connection carries one request and one answer, each with a time limit. Watchers are exempt: the server ends a
/// stream that is idle.
struct ConnectionTable<ID: Hashable> {
    /// Seconds for a request to arrive.
    let requestSeconds: Double
    /// Seconds for an answer to be taken.
    let answerSeconds: Double
    private var deadlines: [ID: Double] = [:]

    init(requestSeconds: Double, answerSeconds: Double) {
        self.requestSeconds = requestSeconds
        self.answerSeconds = answerSeconds
    }

    /// Connections now, without watchers.
    var count: Int { deadlines.count }

    mutating func arrive(_ id: ID, at time: Double) { deadlines[id] = time + requestSeconds }

    mutating func answer(_ id: ID, at time: Double) { deadlines[id] = time + answerSeconds }

    mutating func watch(_ id: ID) { deadlines[id] = nil }

    mutating func leave(_ id: ID) { deadlines[id] = nil }

    /// Removes and returns the connections whose time is over.
    mutating func overdue(at time: Double) -> [ID] {
        let late = deadlines.filter { $0.value <= time }.map(\.key)
        for id in late { deadlines[id] = nil }
        return late
    }
}
