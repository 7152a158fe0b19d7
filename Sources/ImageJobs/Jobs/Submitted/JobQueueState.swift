/// Decides which submitted jobs run: at most a number of them at a time, in the order of submission. Pure.
package struct JobQueueState: Sendable {
    package enum Action: Equatable, Sendable {
        case start(String)
        /// Tell its process to stop.
        case stop(String)
        /// It ended so often without a result that it is not started again.
        case giveUp(String)
    }

    /// After this many ends without a result, of which none was ordered, a job is given up.
    package static let endLimit = 3

    private let limit: Int
    private var waiting: [String] = []
    private var running: Set<String> = []
    private var ends: [String: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    /// The job is to run; `isRunning`: a process that was started before runs it.
    package mutating func add(_ id: String, isRunning: Bool = false) -> [Action] {
        guard !waiting.contains(id), !running.contains(id) else { return [] }
        if isRunning { running.insert(id) } else { waiting.append(id) }
        return next()
    }

    /// The job must not run, for the time being or for ever.
    package mutating func stop(_ id: String) -> [Action] {
        waiting.removeAll { $0 == id }
        return running.contains(id) ? [.stop(id)] : []
    }

    /// The process of a job has ended. `isDone`: with a result; `isWanted`: its user wants it to run.
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
