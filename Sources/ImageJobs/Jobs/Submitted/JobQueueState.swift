/// Decides which submitted jobs run: at most a given number of them at a time, in the order of submission, and each
/// after the jobs on which it depends have ended well. Pure.
package struct JobQueueState: Sendable {
    package enum Action: Equatable, Sendable {
        case start(String)
        /// Tell the process of the job to stop.
        case stop(String)
        /// Do not start the job again, since it ended too often without a result.
        case giveUp(String)
        /// Do not start the job, since a job on which it depends did not end well.
        case refuse(String, because: String)
    }

    /// A job that depends on others.
    private struct Held: Sendable {
        var id: String
        /// The predecessors that have not ended yet.
        var jobs: Set<String>
    }

    /// Number of consecutive unordered ends without a result after which a job is given up.
    package static let endLimit = 3

    private let limit: Int
    private var held: [Held] = []
    private var waiting: [String] = []
    private var running: Set<String> = []
    private var ends: [String: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    /// Jobs on which others depend, and that have not ended yet.
    package var awaited: Set<String> { held.reduce(into: []) { $0.formUnion($1.jobs) } }

    /// Adds a job that is to run. `isRunning` is true if an earlier process already runs it. Otherwise it begins after
    /// `jobs`, those of its predecessors that have not ended yet.
    package mutating func add(_ id: String, isRunning: Bool = false, after jobs: Set<String> = []) -> [Action] {
        guard !waiting.contains(id), !running.contains(id), !held.contains(where: { $0.id == id }) else { return [] }
        if isRunning {
            running.insert(id)
        } else if jobs.isEmpty {
            waiting.append(id)
        } else {
            held.append(Held(id: id, jobs: jobs))
        }
        return next()
    }

    /// Records that a job has ended for good, well or not. Jobs that depend on it may start, or are refused.
    package mutating func settled(_ id: String, isWell: Bool) -> [Action] {
        var actions: [Action] = []
        for other in held where other.jobs.contains(id) {
            guard let place = held.firstIndex(where: { $0.id == other.id }) else { continue }
            guard isWell else {
                held.remove(at: place)
                actions += [.refuse(other.id, because: id)] + settled(other.id, isWell: false)
                continue
            }
            held[place].jobs.remove(id)
            if held[place].jobs.isEmpty { waiting.append(held.remove(at: place).id) }
        }
        return actions + next()
    }

    /// Stops a job, temporarily or for good.
    package mutating func stop(_ id: String) -> [Action] {
        waiting.removeAll { $0 == id }
        held.removeAll { $0.id == id }
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
