/// Decides which submitted jobs run: at most a given number of them at a time, in the order of submission. Pure.
package struct JobQueueState: Sendable {
    package enum Action: Equatable, Sendable {
        case start(String)
        /// Tell the process of the job to stop.
        case stop(String)
        /// Do not start the job again, since it ended too often without a result.
        case giveUp(String)
    }

    /// Number of consecutive unordered ends without a result after which a job is given up.
    package static let endLimit = 3

    private let limit: Int
    private var waiting: [String] = []
    private var running: Set<String> = []
    private var ends: [String: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    /// Adds a job that is to run. `isRunning` is true if an earlier process already runs it.
    package mutating func add(_ id: String, isRunning: Bool = false) -> [Action] {
        guard !waiting.contains(id), !running.contains(id) else { return [] }
        if isRunning { running.insert(id) } else { waiting.append(id) }
        return next()
    }

    /// Stops a job, temporarily or for good.
    package mutating func stop(_ id: String) -> [Action] {
        waiting.removeAll { $0 == id }
        return running.contains(id) ? [.stop(id)] : []
    }

    /// Records that the process of a job has ended. `isDone` tells whether it left a result, `isWanted` whether its
    /// user wants it to run.
    package mutating func ended(_ id: String, isDone: Bool, isWanted: Bool) -> [Action] {
        running.remove(id)
        guard isWanted, !isDone else {
            ends[id] = nil
            return next()
        }
        ends[id, default: 0] += 1
        if ends[id, default: 0] >= Self.endLimit {
            ends[id] = nil
            return [.giveUp(id)] + next()
        }
        // It was first in the queue when it was started.
        waiting.insert(id, at: 0)
        return next()
    }

    private mutating func next() -> [Action] {
        var actions: [Action] = []
        while running.count < limit, !waiting.isEmpty {
            let id = waiting.removeFirst()
            running.insert(id)
            actions.append(.start(id))
        }
        return actions
    }
}
