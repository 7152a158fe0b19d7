/// Nodes that joined at about the same time, for one line. Pure; times are in seconds.
package struct JoinedNodes: Sendable {
    private var names: [String] = []
    private var slots = 0
    private var first = 0.0
    private var last = 0.0

    /// The line is written if no node has joined for this time.
    private static let pause = 0.1
    /// The longest time from the first node to the line.
    private static let longest = 1.0

    package init() {}

    package var isEmpty: Bool { names.isEmpty }

    package mutating func add(_ name: String, slots: Int, at time: Double) {
        if isEmpty { first = time }
        last = time
        names.append(name)
        self.slots += slots
    }

    /// The time until the line is to be written; 0 or less if it is now.
    package func wait(at time: Double) -> Double {
        isEmpty ? 0 : min(last + Self.pause, first + Self.longest) - time
    }

    /// The line about them, of which there are none from then on; nil if there are none.
    package mutating func take() -> StyledText? {
        guard let first = names.first else { return nil }
        defer { self = JoinedNodes() }
        let slots = HumanFormat.count(slots, "slot")
        if names.count == 1 { return "node \(name: first) joined, \(slots)" }
        return "\(names.count) nodes joined, \(slots): \(HumanFormat.list(names))"
    }
}
