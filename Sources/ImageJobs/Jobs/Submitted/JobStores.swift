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
        shared = permit.folders.compactMap { folder in
            realPath(folder).map { Shared(jobs: SubmittedJobs(sharedIn: $0), permit: permit) }
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

    /// Returns the job of this ID and its folder.
    package func find(_ id: String) -> (jobs: SubmittedJobs, entry: SubmittedEntry)? {
        for jobs in all { if let entry = jobs.entry(id) { return (jobs, entry) } }
        return nil
    }
}
