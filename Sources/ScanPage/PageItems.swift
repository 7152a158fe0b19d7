/// What the tasks of a run have done, for its page: items, of which a task may have several, one after the other.
package struct PageItems: Sendable {
    /// The items of a task.
    package struct Batch: Sendable {
        package var count: Int
        /// How they are called together.
        package var name: String

        /// The items of these names, in their order.
        package init(_ names: [String]) {
            count = names.count
            let first = names.first ?? "no item"
            name = count < 2 ? first : "\(first) and \(count - 1) further item\(count == 2 ? "" : "s")"
        }
    }

    /// How an attempt at an item ended.
    package enum End: Sendable {
        /// It has its result, after so many seconds.
        case done(seconds: Double)
        /// The result is that of an earlier run.
        case recorded
        /// It failed, and is tried again; with the last lines of its output.
        case triedAgain(String, lines: [String])
        case failed(String, lines: [String])
    }

    /// Slots that a task takes.
    var slots: Int
    /// The items of a task of the run by its place, from 0.
    var task: @Sendable (Int) -> Batch

    package init(slots: Int, task: @escaping @Sendable (Int) -> Batch) { (self.slots, self.task) = (slots, task) }
}
