/// Several tasks that are sent and run together, so that short ones share the cost of a message. Each keeps its
/// identity and has a result of its own.
package struct TaskChunk<Work: ScanTask>: ScanTask, TaskGrouping {
    package typealias Output = ChunkOutcomes<Work.Output>

    package static var typeName: String { "\(Work.typeName) in chunks/2" }

    /// Place of the first task in the run, from 0.
    package let id: Int
    package let tasks: [Work]

    /// Tasks from place `id` on.
    package init(id: Int, tasks: [Work]) {
        self.id = id
        self.tasks = tasks
    }

    package var cost: Double {
        // By index: iterators and closures of types that are known only at run time take several times as long.
        var sum = 0.0
        for place in tasks.indices { sum += tasks[place].cost }
        return sum
    }

    package var count: Int { tasks.count }

    // The tasks of a chunk need the same.
    package var requiredTags: Set<String> { tasks.first?.requiredTags ?? [] }
    package var slots: Int { tasks.first?.slots ?? 1 }
    package var requiredMemory: Int { tasks.first?.requiredMemory ?? 0 }
    package var priority: Int { tasks.first?.priority ?? 0 }
    /// A chunk is sent once: its tasks are tried again alone.
    package var retryPolicy: RetryPolicy? {
        tasks.first?.retryPolicy.map { RetryPolicy(attempts: 1, finalErrors: $0.finalErrors) }
    }

    /// Runs the tasks one after the other; one that throws does not stop the others.
    package func scan(_ context: ScanContext) throws -> Output {
        var outcomes = Output()
        let reporter = context.reporter.map { ChunkReporter($0, count: tasks.count) }
        let part = ScanContext(bulk: nil, cancellation: context.cancellation, reporter: reporter)
        for place in tasks.indices {
            try context.checkCancellation()
            reporter?.begin(place)
            do {
                outcomes.append(try tasks[place].scan(part))
            } catch {
                outcomes.append(failure: String(words: error))
            }
        }
        return outcomes
    }

    package func validate(_ outcomes: Output) throws {
        guard outcomes.count == tasks.count, outcomes.isSound else {
            throw WrongCount(outcomes: outcomes.count, tasks: tasks.count)
        }
        try outcomes.forEachOutput { place, output in try tasks[place].validate(output) }
    }

    private struct WrongCount: Error, CustomStringConvertible {
        var outcomes: Int
        var tasks: Int
        var description: String {
            outcomes == tasks ? "results in the wrong places" : "\(outcomes) results for \(tasks) tasks"
        }
    }
}
