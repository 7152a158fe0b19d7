/// Determines whether no coordinator was connected to a node for some time.
package struct CoordinatorPresence {
    private var open = 0
    /// Number of connections so far.
    private var begun = 0

    package init() {}

    package mutating func begin() {
        open += 1
        begun += 1
    }

    /// A coordinator disconnected.
    /// - Returns: a mark for ``isIdle(since:)``; nil if others are still connected.
    package mutating func end() -> Int? {
        open -= 1
        return open == 0 ? begun : nil
    }

    /// Whether no coordinator has connected since ``end()`` returned `mark`.
    package func isIdle(since mark: Int) -> Bool { begun == mark }
}
