import Foundation
import ScanCluster

/// All folders with submitted jobs that a node knows: the folder of its user, and one in each folder of
/// `--accept-jobs`.
package struct JobStores: Sendable {
    /// Jobs that several nodes can run, with the permit of this machine. Permits of other nodes do not apply here.
    package struct Shared: Sendable {
        package var jobs: SubmittedJobs
        package var permit: JobPermit
    }

    /// Jobs that only this machine runs.
    package let own: SubmittedJobs
    package private(set) var shared: [Shared]

    package init(own: SubmittedJobs, permit: JobPermit) {
        self.own = own
        // A folder that cannot be read now, since its file system is not mounted, may have jobs.
        shared = permit.folders.map { folder in
            Shared(jobs: SubmittedJobs(sharedIn: realPath(folder) ?? folder), permit: permit)
        }
    }

    /// Adds the folder of another node's `--accept-jobs`, since one node of a user runs the jobs of all its nodes.
    package mutating func add(_ jobs: SubmittedJobs, _ permit: JobPermit?) {
        guard jobs.isShared, let permit else { return }
        if let place = shared.firstIndex(where: { $0.jobs == jobs }) {
            shared[place].permit = permit
        } else {
            shared.append(Shared(jobs: jobs, permit: permit))
        }
    }

    /// Returns the permit for the jobs of this folder, or nil if they are the user's own jobs.
    package func permit(of jobs: SubmittedJobs) -> JobPermit? { shared.first { $0.jobs == jobs }?.permit }

    private var all: [SubmittedJobs] { [own] + shared.map(\.jobs) }

    package func entries() -> [SubmittedEntry] { all.flatMap { $0.entries() } }

    /// Whether it is certain that no folder has a job of this ID.
    package func lacks(_ id: String) -> Bool { all.allSatisfy { $0.lacks(id) } }

    /// Returns the job of this ID and its folder; nil also if it cannot be read, see ``lacks(_:)``.
    package func find(_ id: String) -> (jobs: SubmittedJobs, entry: SubmittedEntry)? {
        for jobs in all { if let entry = jobs.entry(id) { return (jobs, entry) } }
        return nil
    }
}
