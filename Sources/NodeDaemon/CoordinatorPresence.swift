/// Tracks the connections of coordinators to a node, to determine whether the node has been idle for some time.
package struct CoordinatorPresence {
    private var open = 0
    /// Number of connections so far.
    private var begun = 0

    package init() {}

    package mutating func begin() {
        open += 1
        begun += 1
    }

    /// Counts the end of a connection.
    /// - Returns: A mark for ``isIdle(since:)``, or nil if other coordinators are still connected.
    package mutating func end() -> Int? {
        open -= 1
        return open == 0 ? begun : nil
    }

    /// Returns whether no coordinator has connected since ``end()`` returned `mark`.
    package func isIdle(since mark: Int) -> Bool { begun == mark }
}
