/// Which visits of coordinators to a node are over, to tell when it has been left alone for some time.
struct CoordinatorVisits {
    private var open = 0
    /// Number of visits so far.
    private var begun = 0

    /// A coordinator came.
    mutating func begin() {
        open += 1
        begun += 1
    }

    /// A coordinator left.
    /// - Returns: a mark of the moment for ``isLeftAlone(since:)``; nil if others are still there.
    mutating func end() -> Int? {
        open -= 1
        return open == 0 ? begun : nil
    }

    /// Whether nobody has come since ``end()`` returned `mark`.
    func isLeftAlone(since mark: Int) -> Bool { begun == mark }
}
