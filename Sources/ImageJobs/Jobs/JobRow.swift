import CommandLineKit
import Console
package import Foundation
package import ImageScanning
package import SkyScan

/// A job as users see it, submitted or not: what is known from its journal and, if it was submitted, from its folder.
package struct JobRow: Codable, Equatable, Sendable {
    package var v = 2
    /// ID of the submission, or of the journal of a job that was not submitted.
    package var id: String
    /// unfinished, waiting, running, stopping, paused, cancelled, lost, partial, finished, failed or unreadable.
    package var state: String
    package var isSubmitted = false
    /// Name of the node that runs it, or nil for a job of this machine's user.
    package var node: String?
    /// Whether a node other than the reporting one runs it.
    package var isElsewhere: Bool?
    /// User and host that submitted it, or nil for the user of its node.
    package var from: String?
    package var process: Int?
    /// Time since its start or submission in seconds, or nil if that is not known.
    package var ageSeconds: Double?
    /// Start time in ISO 8601 format.
    package var began: String?
    package var command: String?
    /// The command in a few words.
    package var title: String?
    package var folder: String?
    /// IDs of the jobs after which it begins.
    package var after: [String]?
    /// State of its run, from the log of a submitted job.
    package var progress: JobProgress?
    /// ID of its journal, or nil if it has none yet.
    package var journal: String?
    /// Exit code of its command, if it was submitted.
    package var code: Int32?
    /// Last line of its log.
    package var message: String?
    /// Systems that work on it.
    package var systems: JobSystems?
    /// The image, or the first one of many.
    package var image: String?
    /// Number of tasks whose results are in the journal, by step.
    package var tasks: [String: Int]?
    /// Number of tasks with a result, and number of all tasks as far as known, for a job of one image.
    package var tasksDone: Int?
    package var tasksTotal: Int?
    /// Number of files whose catalogues are complete or that are left out, of files that failed as a whole or in part,
    /// and of all files, or 0 if that is not known.
    package var filesDone: Int?
    package var filesFailed: Int?
    package var filesTotal: Int?
    /// Of the files that are done, the number of those that are left out.
    package var filesLeftOut: Int?
    /// Absolute paths; `-` is standard output.
    package var outputs: [String]?
    package var sources: Int?
    /// Files that could not be scanned, as a whole or in part, by name.
    package var failedFiles: [FailedFile]?
    /// Reason why the journal cannot be read, or why the job had nothing to do.
    package var reason: String?

    /// A file that could not be scanned, or not completely.
    package struct FailedFile: Codable, Equatable, Sendable {
        package var file: String
        /// Why images, or the whole file, could not be scanned.
        package var errors: [String]
        /// Sectors that could not be scanned.
        package var missing: [ReportedFile.Missing]
    }

    /// Creates the row of a job that was not submitted.
    package init(_ entry: JournalFolder.Entry, now: Date = .now) {
        (id, process) = (entry.id, entry.process)
        state = entry.process != nil ? "running" : entry.record?.state.rawValue ?? "unreadable"
        if let record = entry.record {
            ageSeconds = max(0, now.timeIntervalSince1970 - record.began)
            command = commandLine(["skyfarm", "scan"] + record.words)
            (title, folder) = (Self.title(record.words), record.folder)
        }
        add(entry)
    }

    /// Creates the row of a submitted job.
    package init(_ entry: SubmittedEntry, journal: JournalFolder.Entry? = nil, now: Date = .now) {
        (id, state, process, isSubmitted) = (entry.job.id, entry.state.rawValue, entry.process, true)
        ageSeconds = max(0, now.timeIntervalSince1970 - entry.job.submitted)
        (command, folder, after) = (entry.job.command, entry.job.folder, entry.job.after)
        title = Self.title(entry.job.words, of: entry.job.verb ?? .scan)
        (progress, code, message) = (entry.progress, entry.result?.code, entry.message)
        (from, systems, filesFailed) = (entry.job.from, entry.systems, entry.result?.filesFailed)
        if let journal { add(journal) }
    }

    /// Adds what a journal records.
    private mutating func add(_ entry: JournalFolder.Entry) {
        (journal, reason) = (entry.id, entry.trouble)
        tasks = Dictionary(uniqueKeysWithValues: entry.tasks.map { ($0.key.rawValue, $0.value) })
        tasksDone = (entry.process == nil ? entry.record?.tasksDone : nil) ?? entry.tasks.values.reduce(0, +)
        failedFiles = entry.failedFiles
        guard let record = entry.record else { return }
        began = Date(timeIntervalSince1970: record.began).formatted(.iso8601)
        (image, outputs, sources, tasksTotal) = (record.identity.image, record.outputs, record.sources, record.tasks)
        (filesTotal, filesDone, filesFailed) = (record.files, entry.files, failedFiles?.count)
        filesLeftOut = entry.leftOutCount
        if entry.process == nil, record.state == .failed, record.tasks == nil, filesFailed == 0 {
            reason = "nothing to scan: every file is left out"
        }
    }

    /// Returns the command in a few words, as in `scan img001.fits and 28 more`.
    package static func title(_ words: [String], of verb: JobVerb = .scan) -> String {
        guard let arguments = try? verb.arguments(words), let first = arguments.positionals.first else {
            return verb.rawValue
        }
        if verb == .map { return "map \(first)" }
        let name = first.hasSuffix("/") ? first : first.split(separator: "/").last.map(String.init) ?? first
        let more = arguments.positionals.count - 1
        let watch = arguments.flags["watch"] == nil ? "" : "--watch "
        return "\(verb.rawValue) \(watch)\(name)" + (more == 0 ? "" : " and \(more) more")
    }

    /// Maximum number of failed files that a node sends of a job.
    static let failureLimit = 10_000

    /// Copy with at most ``failureLimit`` failed files, as a node sends it.
    package var sendable: JobRow {
        var row = self
        row.failedFiles = failedFiles.map { Array($0.prefix(Self.failureLimit)) }
        return row
    }

    /// Copy with numbers limited to a valid range that JSON supports, and with at most ``failureLimit`` failed files,
    /// since a peer may send any. The length of a call's body limits the texts.
    var possible: JobRow {
        var row = sendable
        row.ageSeconds = ageSeconds.map { max(0, $0.ifFinite ?? 0) }
        (row.progress, row.systems) = (progress?.possible, systems?.possible)
        func count(_ number: Int?) -> Int? { number.map { min(max(0, $0), 1 << 50) } }
        (row.tasksDone, row.tasksTotal, row.sources) = (count(tasksDone), count(tasksTotal), count(sources))
        (row.filesDone, row.filesFailed, row.filesTotal) = (count(filesDone), count(filesFailed), count(filesTotal))
        row.filesLeftOut = count(filesLeftOut)
        return row
    }
}

extension JournalFolder.Entry {
    /// Number of files that are left out.
    var leftOutCount: Int { complete.count { (try? ReportedFile(coded: $0.report))?.leftOut != nil } }

    /// Files that could not be scanned, as a whole or in part, with the reasons.
    package var failedFiles: [JobRow.FailedFile] {
        let files = failed.map { file in
            guard let report = try? ReportedFile(coded: file.report) else {
                return JobRow.FailedFile(file: file.name, errors: ["its report cannot be read"], missing: [])
            }
            return JobRow.FailedFile(
                file: report.file, errors: report.errors ?? [], missing: report.images.flatMap(\.missing))
        }
        // A file without a reason is scanned again for another cause, such as a node that computes differently.
        return files.filter { !$0.errors.isEmpty || !$0.missing.isEmpty }
    }
}
