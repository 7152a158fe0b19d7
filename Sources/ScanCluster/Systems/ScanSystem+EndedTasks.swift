extension ScanSystem {
    /// Tasks that have left their slots and are not handled yet. Decides whether they are handled at once or wait for
    /// others, since answers that a node sends together cost much less. Pure.
    package struct EndedTasks<Task> {
        /// Number of queued tasks from which on they wait: the delay then leaves no slot idle, and hardly delays a
        /// coordinator.
        package static var manyQueued: Int { 32 }

        private var tasks: [Task] = []
        /// Number of tasks at which to check again.
        private var enough = 1

        package init() {}

        /// A task ended.
        /// - Returns: whether to call ``isEnough(queued:)``.
        package mutating func append(_ task: Task) -> Bool {
            tasks.append(task)
            return tasks.count == enough
        }

        /// Checks the tasks that have ended.
        /// - Parameter queued: tasks taken beyond the slots, including those that have ended.
        /// - Returns: whether to answer them now. If not, they must be answered after a short time, whatever their
        ///   number is then.
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
}
