package import ImageJobs

/// The state of the cluster as known to a node: nodes with their load, jobs, and the tasks of the last day. Pure; times
/// are in seconds since the node began.
package struct ClusterPicture: Equatable, Sendable {
    package struct Member: Codable, Equatable, Sendable {
        var load: NodeLoad
        /// Tasks per second between the last two answers; nil before the second one.
        var rate: Double?
        /// Time of its last answer.
        var seen: Double
        /// Reason why the last request failed, or nil if the node answered.
        var trouble: String?
    }

    /// Known nodes by name.
    package private(set) var members: [String: Member] = [:]
    package private(set) var jobs: [JobRow] = []
    /// Number of tasks done in each interval, by node; the first interval begins at 0.
    package private(set) var history: [String: [Int]] = [:]
    /// Number of dropped intervals before the first one in ``history``.
    package private(set) var dropped = 0
    /// Incremented at each change.
    package private(set) var version = 0

    /// Length of an interval in seconds.
    package static let interval = 300.0
    /// Number of intervals in a day.
    package static let intervals = 288
    /// Time in seconds after which a silent node is removed.
    package static let forgotten = 86_400.0
    /// Maximum number of nodes that are kept. A node that returns under another name counts as a new one.
    package static let memberLimit = 1000

    /// Records the answer of a node.
    package mutating func answered(_ load: NodeLoad, at time: Double) {
        version += 1
        var member = Member(load: load, rate: nil, seen: time, trouble: nil)
        if let last = members[load.name], time > last.seen {
            // The counter of a restarted node begins at 0 again.
            let done = max(0, load.done >= last.load.done ? load.done &- last.load.done : load.done)
            member.rate = Double(done) / (time - last.seen)
            count(done, of: load.name, at: time)
        }
        members[load.name] = member
        if members.count > Self.memberLimit, let oldest = members.min(by: { $0.value.seen < $1.value.seen }) {
            members[oldest.key] = nil
            history[oldest.key] = nil
        }
    }

    /// Records that a node did not answer.
    package mutating func failed(_ name: String, _ trouble: String, at time: Double) {
        version += 1
        members[name]?.trouble = trouble
        members[name]?.rate = nil
        if let seen = members[name]?.seen, time - seen > Self.forgotten { members[name] = nil }
    }

    /// Sets the jobs that the nodes reported, merged into one list.
    package mutating func set(_ rows: [JobRow]) {
        version += 1
        jobs = JobCluster.merged(rows)
    }

    private mutating func count(_ tasks: Int, of name: String, at time: Double) {
        let index = Int(time / Self.interval)
        let excess = index - dropped - Self.intervals + 1
        if excess > 0 {
            history = history.mapValues { Array($0.dropFirst(excess)) }.filter { !$0.value.isEmpty }
            dropped += excess
        }
        var counts = history[name] ?? []
        while counts.count <= index - dropped { counts.append(0) }
        let (sum, overflow) = counts[index - dropped].addingReportingOverflow(tasks)
        counts[index - dropped] = overflow ? .max : sum
        history[name] = counts
    }
}
