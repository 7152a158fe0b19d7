/// Tasks that have ended and are not answered yet. Decides whether they are answered at once or wait for others, since
/// answers that are sent together cost much less. Pure.
package struct EndedTasks<Task> {
    /// Tasks that must be queued for answers to wait: the delay then costs no slot, and hardly a coordinator, any time.
    package static var manyQueued: Int { 32 }

    private var tasks: [Task] = []
    /// Number of tasks at which to check again.
    private var enough = 1

    package init() {}

    /// A task ended.
    /// - Returns: whether to check whether they are enough.
    package mutating func append(_ task: Task) -> Bool {
        tasks.append(task)
        return tasks.count == enough
    }

    /// Checks the tasks that have ended.
    /// - Parameter queued: tasks taken that have no slot; those that have ended count.
    /// - Returns: whether to answer them now. If not, they must be answered some time later, however many they are
    ///   then.
    package mutating func isEnough(queued: Int) -> Bool {
        let waiting = queued - tasks.count
        if enough == 1, waiting >= Self.manyQueued { enough = tasks.count + waiting / 2 }
        return tasks.count >= enough
    }

    /// Takes the tasks that have ended, in the order in which they did.
    package mutating func take() -> [Task] {
        defer { self = EndedTasks() }
        return tasks
    }
}
