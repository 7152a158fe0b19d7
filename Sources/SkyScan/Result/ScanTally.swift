package import ScanCluster
package import SkyFITS

/// Number of tasks of a sky scan by system and by step, and the sectors that could not be scanned.
public struct ScanTally: Sendable {
    /// Work done by one system, or in one step.
    public struct Share: Sendable {
        /// Number of tasks whose response was used.
        public var tasks = 0
        /// Total duration of scanning in those tasks, in seconds.
        public var seconds = 0.0

        /// Returns the sum of two shares.
        public static func + (one: Share, other: Share) -> Share {
            Share(tasks: one.tasks + other.tasks, seconds: one.seconds + other.seconds)
        }
    }

    /// Work by name of the system.
    public private(set) var systems: [String: Share] = [:]
    /// Work by step of the scan.
    public private(set) var steps: [ScanStep: Share] = [:]
    /// Number of tasks whose results were read from the journal.
    public internal(set) var resumed = 0
    /// Number of failed attempts that were retried.
    public internal(set) var retries = 0
    /// Number of second attempts that were started because a task was slow.
    public internal(set) var hedges = 0
    /// Sectors that could not be scanned.
    public private(set) var missing: [MissingSector] = []

    /// Number of executed tasks, that is, all tasks except those read from the journal.
    public var tasks: Int { steps.values.reduce(0) { $0 + $1.tasks } }

    /// Records a sector that no system can scan.
    package mutating func skip(_ step: ScanStep, sector: PixelRect, reason: String) {
        missing.append(MissingSector(step: step, rect: sector, reason: reason))
    }

    package mutating func count<Task: ScanTask>(_ response: TaskResponse<Task>, _ step: ScanStep, sector: PixelRect) {
        switch response.result {
        case .success:
            systems[response.system, default: Share()].add(response.seconds)
            steps[step, default: Share()].add(response.seconds)
        case .failure(let failure):
            missing.append(
                MissingSector(step: step, rect: sector, reason: failure.description, log: failure.log))
        }
    }
}

extension ScanTally.Share {
    fileprivate mutating func add(_ seconds: Double) {
        tasks += 1
        self.seconds += seconds
    }
}
