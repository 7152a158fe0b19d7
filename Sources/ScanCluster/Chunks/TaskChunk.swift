/// Several tasks that travel and run together, so that tiny ones do not each pay for the way. Each keeps its identity
/// and has a result of its own.
package struct TaskChunk<Task: ScanTask>: ScanTask {
    /// What came of each task, in their order.
    package typealias Output = [Outcome]

    /// What came of one task.
    package struct Outcome: Codable, Sendable {
        /// Nil if the task threw.
        var output: Task.Output?
        /// Why it threw.
        var failure: String?
    }

    package static var scanner: String { "\(Task.scanner) in chunks" }

    /// Place of the first task in the job, from 0.
    package let id: Int
    package let tasks: [Task]

    /// Tasks from place `id` on.
    package init(id: Int, tasks: [Task]) {
        self.id = id
        self.tasks = tasks
    }

    package var cost: Double { tasks.reduce(0) { $0 + $1.cost } }

    /// Does the tasks one after the other; one that throws does not keep the others from being done.
    package func scan(_ context: ScanContext) throws -> Output {
        try tasks.map { task in
            try context.checkCancellation()
            do {
                return Outcome(output: try task.scan(context), failure: nil)
            } catch {
                return Outcome(output: nil, failure: "\(error)")
            }
        }
    }

    package func validate(_ outcomes: Output) throws {
        guard outcomes.count == tasks.count else { throw WrongCount(outcomes: outcomes.count, tasks: tasks.count) }
        for (task, outcome) in zip(tasks, outcomes) {
            if let output = outcome.output { try task.validate(output) }
        }
    }

    private struct WrongCount: Error, CustomStringConvertible {
        var outcomes: Int
        var tasks: Int
        var description: String { "\(outcomes) results for \(tasks) tasks" }
    }
}
