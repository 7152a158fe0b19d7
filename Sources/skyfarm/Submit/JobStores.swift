import Foundation
import ScanCluster

/// All folders with submitted jobs that a node knows: that of its user, and one in each folder of `--accept-jobs`.
struct JobStores: Sendable {
    /// Jobs that only this machine runs.
    let own: SubmittedJobs
    /// Jobs that other nodes may take over.
    private(set) var shared: [SubmittedJobs]

    init(own: SubmittedJobs, permit: JobPermit) {
        self.own = own
        shared = permit.folders.map { SubmittedJobs(sharedIn: $0) }
    }

    /// Adds the folder of another node's `--accept-jobs`: of several nodes of a user, one runs the jobs of all.
    mutating func add(_ jobs: SubmittedJobs) {
        if jobs.isShared, !shared.contains(where: { $0.path == jobs.path }) { shared.append(jobs) }
    }

    private var all: [SubmittedJobs] { [own] + shared }

    func entries() -> [SubmittedEntry] { all.flatMap { $0.entries() } }

    /// The job of this ID, and where it is.
    func find(_ id: String) -> (jobs: SubmittedJobs, entry: SubmittedEntry)? {
        // It comes from the network, and becomes a part of a path.
        guard id.count <= 16, id.allSatisfy(\.isHexDigit) else { return nil }
        for jobs in all { if let entry = jobs.entry(id) { return (jobs, entry) } }
        return nil
    }
}
