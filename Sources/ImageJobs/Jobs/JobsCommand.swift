package import CommandLineKit
package import Console
import Foundation
import ImageScanning
package import SkyScan
import TaskJournal

/// `skyfarm jobs` lists, shows, resumes and removes jobs.
///
/// A job is a scan with a journal in the ``JournalFolder``, or one that was submitted to a node, which has a folder in
/// ``SubmittedJobs`` as well; a ``JobRow`` shows either. ``JobCluster`` asks other nodes for their jobs, and
/// ``JobSupervisor`` runs them on a node. Readers begin with ``run()``.
package struct JobsCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        switch options.action {
        case .list:
            let rows = try await rows()
            try StandardOutput.write(
                options.common.json ? JSONOutput.document(JobRow.Listing(jobs: rows)) : JobRow.text(rows))
        case .pause(let id): return try await order(.pause, id)
        case .resume(let id): return try await order(.resume, id)
        case .cancel(let id): return try await order(.cancel, id)
        case .remove(let id): return try await order(.remove, id)
        case .priority(let id, let weight): return try await order(.priority, id, weight: weight)
        case .fetch(let id): return try await fetch(id)
        case .watch(let id): return try await watch(target(id, substitute: .ofEnded))
        case .wait(let ids): return try await wait(for: ids)
        case .run(let id): return try await runSubmitted(id)
        case .show(let id, let failed):
            let row = try await target(id, substitute: .any).row(isFull: true)
            try StandardOutput.write(
                options.common.json ? JSONOutput.document(row) : failed ? row.failureText : row.text)
        case .removeAll:
            try removeAll()
        }
        return .complete
    }

    /// Runs the command of a job that was not submitted again.
    func resume(_ entry: JournalFolder.Entry) async throws -> ExitCode {
        guard let record = entry.record else {
            throw CommandError(.failure, entry.trouble ?? "job \(entry.id) cannot be read")
        }
        // Files that failed may have been mended.
        guard record.state != .finished || !entry.failed.isEmpty else {
            throw CommandError(.failure, "job \(entry.id) is finished: its catalogue is written")
        }
        guard FileManager.default.changeCurrentDirectoryPath(record.folder) else {
            throw CommandError(.input, "\(record.folder): cannot change to the folder in which the job was started")
        }
        return await ScanCommand.run(record.words, options.environment, options.settings)
    }

    /// Removes all jobs of this machine's user, but submitted ones that run or wait.
    private func removeAll() throws {
        let submitted = options.submitted?.entries() ?? []
        let ids = Set(submitted.map(\.job.id))
        let scans = try options.folder.entries().filter { !ids.contains($0.record?.submission ?? "") }
        let stopped = submitted.filter { !$0.isActive }
        try permitRemoval(
            of: scans.count { $0.record?.state.isEnded != true }
                + stopped.count { ![.finished, .failed].contains($0.state) })
        for scan in scans { try options.folder.remove(scan.id) }
        if let jobs = options.submitted { for entry in stopped { try remove(entry, of: jobs) } }
        say("removed \(HumanFormat.count(scans.count + stopped.count, "job"))")
    }

    /// Asks whether the results of unfinished jobs may be removed.
    private func permitRemoval(of unfinished: Int) throws(CommandError) {
        if unfinished == 0 || options.isPermitted { return }
        let jobs = HumanFormat.count(unfinished, "unfinished job")
        guard Terminal.standardInput.isTerminal, Terminal.standardError.isTerminal else {
            throw CommandError(.failure, "\(jobs): results would be lost; add --yes to remove them, too")
        }
        StandardError.write("remove \(jobs), with the results so far? [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else { throw CommandError(.failure, "nothing was removed") }
    }

    package func say(_ line: String) {
        if !options.common.quiet { StandardError.write(line + "\n") }
    }
}

extension JobsCommand {
    package struct Options: Equatable, Sendable {
        package var action: Action
        /// Whether unfinished jobs may be removed without asking.
        var isPermitted: Bool
        package var folder: JournalFolder
        /// Jobs submitted to a node, or nil if the environment defines no folder for them.
        package var submitted: SubmittedJobs?
        package var environment: [String: String]
        package var settings: SettingsFile
        /// Nodes to ask for jobs.
        package var cluster: JobCluster
        /// Name of the node that continues a job, or nil for the node that ran it.
        package var on: String?
        /// Folder into which files are fetched.
        var fetchFolder: String
        var overwrites: Bool
        package var common: CommonOptions

        package enum Action: Equatable, Sendable {
            case list, removeAll
            case show(String, failed: Bool)
            case resume(String)
            case remove(String)
            case pause(String), cancel(String), watch(String), run(String)
            case wait([String])
            case priority(String, Double)
            case fetch(String)

            package static let names = [
                "list", "show", "watch", "wait", "pause", "resume", "cancel", "priority", "fetch", "remove", "run",
            ]
        }

        package init(_ arguments: Arguments) throws(UsageError) {
            common = try CommonOptions(arguments)
            (environment, settings) = (arguments.environment, arguments.file)
            action = try Self.action(
                arguments.positionals, all: try arguments[JobsCommand.all], failed: try arguments[JobsCommand.failed])
            isPermitted = try arguments[JobsCommand.yes]
            if isPermitted, action != .removeAll { throw UsageError("--yes belongs to jobs remove --all") }
            submitted = SubmittedJobs(environment: arguments.environment)
            cluster = try JobCluster(arguments)
            on = try arguments[JobsCommand.on]
            fetchFolder = try arguments[JobsCommand.output] ?? "."
            overwrites = try arguments[JobsCommand.overwrite]
            if on != nil, arguments.positionals.first != "resume" { throw UsageError("--on belongs to jobs resume") }
            do throws(JournalError) {
                folder = try JournalFolder(environment: arguments.environment)
            } catch {
                throw UsageError(error.message)
            }
        }

        private static func action(_ words: [String], all: Bool, failed: Bool) throws(UsageError) -> Action {
            let verb = words.first ?? "list"
            if verb == "priority" { return try priority(words) }
            if words.count > 2, verb != "wait" {
                throw UsageError("unexpected argument \"\(words[2])\": jobs \(verb) takes one ID")
            }
            if all, verb != "remove" { throw UsageError("--all belongs to jobs remove") }
            if failed, verb != "show" { throw UsageError("--failed belongs to jobs show") }
            switch (verb, words.dropFirst().first) {
            case ("list", nil): return .list
            case ("remove", nil) where all: return .removeAll
            case ("show", let id?): return .show(id, failed: failed)
            case ("resume", let id?): return .resume(id)
            case ("remove", let id?) where !all: return .remove(id)
            case ("pause", let id?): return .pause(id)
            case ("cancel", let id?): return .cancel(id)
            case ("watch", let id?): return .watch(id)
            case ("run", let id?): return .run(id)
            case ("fetch", let id?): return .fetch(id)
            case ("wait", _?): return .wait(Array(words.dropFirst()))
            case (let verb, nil) where Action.names.contains(verb):
                throw UsageError("jobs \(verb): ID is missing; `skyfarm jobs` lists the IDs")
            case ("remove", _): throw UsageError("jobs remove: use either an ID or --all")
            case ("list", _): throw UsageError("jobs list takes no ID; use jobs show ID")
            default:
                throw UsageError(
                    "unknown action \"\(verb)\"\(suggestion(for: verb, among: Action.names))"
                        + " (see skyfarm jobs --help)")
            }
        }
    }

    package static let on = Option.optional(
        "on", .word("NODE"), help: "With resume: the node that continues a job whose own node is lost")
    package static let output = Option.optional(
        "output", short: "o", .text("FOLDER", expected: "the name of a folder"), fallback: "the current folder",
        help: "With fetch: the folder for the files")
    package static let overwrite = Option.toggle("overwrite", help: "With fetch: replace files that exist")
    package static let failed = Option.toggle(
        "failed", help: "With show: list the files and sectors that could not be scanned, with the reasons")
    package static let all = Option.toggle(
        "all", help: "With remove: remove all jobs; asks first if some are unfinished")
    package static let yes = Option.toggle("yes", help: "With remove --all: remove unfinished jobs without a question")
}
