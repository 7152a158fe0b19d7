package import ScanCluster
package import SkyFITS

/// Numbers of tasks of a sky scan by system and step, and the sectors that could not be scanned.
public struct ScanTally: Sendable {
    /// The work of one system, or of one step.
    public struct Share: Sendable {
        /// Tasks whose response was used.
        public var tasks = 0
        /// Seconds of scanning in those tasks.
        public var seconds = 0.0

        /// The work of both.
        public static func + (one: Share, other: Share) -> Share {
            Share(tasks: one.tasks + other.tasks, seconds: one.seconds + other.seconds)
        }
    }

    /// Shares by the name of the system.
    public private(set) var systems: [String: Share] = [:]
    /// Shares by step.
    public private(set) var steps: [ScanStep: Share] = [:]
    /// Tasks whose results were read from the journal.
    public internal(set) var resumed = 0
    /// Failed attempts, after which another one was needed.
    public internal(set) var retries = 0
    /// Second attempts at tasks that were slow.
    public internal(set) var hedges = 0
    /// Sectors that could not be scanned.
    public private(set) var missing: [MissingSector] = []

    /// Tasks that were executed: all but those read from the journal.
    public var tasks: Int { steps.values.reduce(0) { $0 + $1.tasks } }

    /// Notes a sector that no system can scan.
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
