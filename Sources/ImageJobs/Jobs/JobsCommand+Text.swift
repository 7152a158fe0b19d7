import CommandLineKit
import Console
package import Foundation
import ScanCluster
package import SkyScan

extension JobsCommand {
    package struct Job: Encodable {
        package var v = 1
        package var id: String
        /// unfinished, running, partial, finished or unreadable.
        package var state: String
        package var process: Int?
        package var image: String?
        /// Start time in ISO 8601 format.
        package var began: String?
        package var folder: String?
        package var command: String?
        /// Seconds since its start.
        package var ageSeconds: Double?
        /// Number of tasks whose results are in the journal, by step.
        package var tasks: [String: Int]
        /// Number of tasks with a result, and number of all tasks as far as known.
        package var tasksDone: Int
        package var tasksTotal: Int?
        /// Number of files with complete catalogues, and number of all files, for a job of many images.
        package var filesDone: Int?
        package var filesTotal: Int?
        /// Absolute paths; `-` is standard output.
        package var outputs: [String]?
        package var sources: Int?
        package var failed: [Failure]
        /// Reason why the journal cannot be read.
        package var reason: String?

        package struct Failure: Encodable {
            package var step: String
            package var columns: [Int]
            package var rows: [Int]
            package var reason: String
            /// Last lines of the log of the node that failed it last.
            package var log: [String]?
        }
    }

    package struct Listing: Encodable {
        package var v = 1
        package var jobs: [Job]
        /// Jobs submitted to a node, newest first.
        package var submitted: [SubmittedRow]
    }

    /// Returns a table of the submitted jobs, followed by a table of the other jobs.
    package static func text(submitted: [SubmittedRow], jobs: [Job]) -> String {
        if submitted.isEmpty { return text(jobs) }
        let journals = Set(submitted.compactMap(\.journal))
        let others = jobs.filter { !journals.contains($0.id) }
        return SubmittedRow.text(submitted) + (others.isEmpty ? "" : "\n" + text(others))
    }

    /// Returns a table of the jobs.
    package static func text(_ jobs: [Job]) -> String {
        if jobs.isEmpty { return "no jobs\n" }
        var table = TextTable(
            "ID", "STATE", "AGE", "TASKS", "SOURCES", "IMAGE", "OUTPUTS", texts: ["STATE", "IMAGE", "OUTPUTS"])
        for job in jobs {
            table.add(
                job.id, job.state, job.ageSeconds.map(HumanFormat.age) ?? "-", job.progress,
                job.sources.map { "\($0)" } ?? "-", job.image ?? job.reason ?? "-",
                job.outputs?.joined(separator: ", ") ?? "-")
        }
        return table.text
    }
}

extension JobsCommand.Job {
    package init(_ entry: JournalFolder.Entry, now: Date = .now) {
        id = entry.id
        process = entry.process
        state = entry.process != nil ? "running" : entry.record?.state.rawValue ?? "unreadable"
        image = entry.record?.identity.image
        began = entry.record.map { Date(timeIntervalSince1970: $0.began).formatted(.iso8601) }
        ageSeconds = entry.record.map { max(0, now.timeIntervalSince1970 - $0.began) }
        folder = entry.record?.folder
        command = entry.record.map { (["skyfarm", "scan"] + $0.words).map(quotedForShell).joined(separator: " ") }
        tasks = Dictionary(uniqueKeysWithValues: entry.tasks.map { ($0.key.rawValue, $0.value) })
        tasksDone = (process == nil ? entry.record?.tasksDone : nil) ?? entry.tasks.values.reduce(0, +)
        tasksTotal = entry.record?.tasks
        filesTotal = entry.record?.files
        filesDone = filesTotal == nil ? nil : entry.files
        outputs = entry.record?.outputs
        sources = entry.record?.sources
        failed = (entry.record?.failures ?? []).map { failure in
            Failure(
                step: failure.step.rawValue, columns: [failure.rect.x.lowerBound, failure.rect.x.upperBound - 1],
                rows: [failure.rect.y.lowerBound, failure.rect.y.upperBound - 1], reason: failure.reason,
                log: failure.log)
        }
        reason = entry.trouble
    }

    /// Progress such as `12/40`, without the total if that is unknown.
    package var progress: String {
        // The watch of a folder has no total.
        if let filesDone, filesTotal == 0 { return HumanFormat.count(filesDone, "file") }
        if let filesDone, let filesTotal { return "\(filesDone)/\(filesTotal) files" }
        return tasksTotal.map { "\(tasksDone)/\($0)" } ?? "\(tasksDone)"
    }

    /// All information about the job, one item per line.
    package var text: String {
        let steps = ScanStep.allCases.compactMap { step in tasks[step.rawValue].map { "\(step.rawValue) \($0)" } }
        var lines = ["id      \(id)", "state   \(state)\(process.map { ", process \($0)" } ?? "")"]
        if let image { lines.append("image   \(image)") }
        if let began { lines.append("began   \(began)") }
        if let folder { lines.append("folder  \(folder)") }
        if let command { lines.append("command \(command)") }
        if let outputs { lines.append("outputs \(outputs.joined(separator: ", "))") }
        lines.append("tasks   \(progress)")
        if filesTotal == nil { lines.append("kept    \(steps.isEmpty ? "no results" : steps.joined(separator: ", "))") }
        if let sources { lines.append("sources \(sources)") }
        if !failed.isEmpty { lines.append("failed  \(failed.count); see --failed") }
        if let reason { lines.append("reason  \(reason)") }
        return lines.map { $0.printable + "\n" }.joined()
    }

    /// Sectors that could not be scanned, one per line, each followed by lines of the node's log.
    var failureText: String {
        if failed.isEmpty { return "no sector failed\n" }
        return failed.map {
            "rows \($0.rows[0]) to \($0.rows[1]), columns \($0.columns[0]) to \($0.columns[1]) (\($0.step)): "
                + "\($0.reason)\n" + ($0.log ?? []).map { "  \($0)\n" }.joined()
        }.joined()
    }
}
