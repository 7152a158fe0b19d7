import Foundation
import ImageJobs
import SkyScan

/// Counts the unfinished work of this user's scans on this machine.
enum WaitingTasks {
    /// Returns the number of tasks of running scans, according to their journals, and of waiting submitted jobs, at
    /// least 1 for each. For a job of many images, files are counted, since its tasks are known only one file at a
    /// time.
    static func count(environment: [String: String]) -> Int {
        let running = ((try? JournalFolder(environment: environment).entries()) ?? []).filter { $0.process != nil }
        let submitted = SubmittedJobs(environment: environment)?.entries().filter { $0.state == .waiting }.count ?? 0
        return running.reduce(submitted) { $0 + count(of: $1) }
    }

    static func count(of entry: JournalFolder.Entry) -> Int {
        guard let record = entry.record else { return 1 }
        if let tasks = record.tasks { return max(1, tasks - entry.tasks.values.reduce(0, +)) }
        return max(1, record.files - entry.files)
    }
}
