/// Nodes that joined at about the same time, to be reported in one line. Times are in seconds. Performs no I/O.
package struct JoinedNodes: Sendable {
    private var names: [String] = []
    private var slots = 0
    private var first = 0.0
    private var last = 0.0

    /// The line is written when no node has joined for this time.
    private static let pause = 0.1
    /// Maximum time from the first node to the line.
    private static let longest = 1.0

    package init() {}

    package var isEmpty: Bool { names.isEmpty }

    package mutating func add(_ name: String, slots: Int, at time: Double) {
        if isEmpty { first = time }
        last = time
        names.append(name)
        self.slots += slots
    }

    /// Returns the time until the line is due; 0 or less if it is due now.
    package func wait(at time: Double) -> Double {
        isEmpty ? 0 : min(last + Self.pause, first + Self.longest) - time
    }

    /// Returns the line about the nodes and removes them, or returns nil if there are none.
    package mutating func take() -> StyledText? {
        guard let first = names.first else { return nil }
        defer { self = JoinedNodes() }
        let slots = HumanFormat.count(slots, "slot")
        if names.count == 1 { return "node \(name: first) joined, \(slots)" }
        return "\(names.count) nodes joined, \(slots): \(HumanFormat.list(names))"
    }
}
