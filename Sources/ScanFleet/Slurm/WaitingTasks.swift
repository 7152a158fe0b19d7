import Foundation
import ImageJobs
import SkyScan

/// The work of this user's scans on this machine that is not done yet.
enum WaitingTasks {
    /// The number of tasks of scans that run, by their journals, and of submitted jobs that wait: at least 1 for each. Of
    /// a job of many images the files count, since its tasks are known one file at a time.
    static func count(environment: [String: String]) -> Int {
        let running = ((try? JournalFolder(environment: environment).entries()) ?? []).filter { $0.process != nil }
        let submitted = SubmittedJobs(environment: environment)?.entries().filter { $0.state == .waiting }.count ?? 0
        return running.reduce(submitted) { $0 + count(of: $1) }
    }

    static func count(of entry: JournalFolder.Entry) -> Int {
        let done = entry.tasks.values.reduce(0, +)
        if let files = entry.record?.files { return max(1, files - entry.files) }
        return max(1, (entry.record?.tasks ?? 0) - done)
    }
}
