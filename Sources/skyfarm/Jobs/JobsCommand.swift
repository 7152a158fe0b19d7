import CommandLineKit
import Foundation
import SkyScan

/// `skyfarm jobs`: lists, shows, resumes and removes jobs, each of which is a scan with its journal.
struct JobsCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        let folder = options.folder
        switch options.action {
        case .list:
            let submitted = options.submitted?.entries().reversed().map { SubmittedRow($0) } ?? []
            let jobs = try folder.entries().map { Job($0) }
            try StandardOutput.write(
                options.common.json
                    ? JSONOutput.document(Listing(jobs: jobs, submitted: submitted))
                    : Self.text(submitted: submitted, jobs: jobs))
        case .show(let id, _) where options.submitted?.entry(prefix: id) != nil,
            .resume(let id) where options.submitted?.entry(prefix: id) != nil,
            .remove(let id) where options.submitted?.entry(prefix: id) != nil:
            guard let jobs = options.submitted, let entry = jobs.entry(prefix: id) else { break }
            return try manage(entry, of: jobs)
        case .pause(let id), .cancel(let id): return try send(to: submitted(id))
        case .watch(let id): return try await watch(submitted(id).job.id)
        case .wait(let ids): return try await wait(for: ids.map { try submitted($0).job.id })
        case .run(let id): return try await runSubmitted(id)
        case .show(let id, let failed):
            let job = Job(try folder.entry(prefix: id))
            try StandardOutput.write(
                options.common.json ? JSONOutput.document(job) : failed ? job.failureText : job.text)
        case .resume(let id):
            return try await resume(try folder.entry(prefix: id))
        case .remove(let id):
            let entry = try folder.entry(prefix: id)
            try folder.remove(entry.id)
            say("removed job \(entry.id)")
        case .removeAll:
            let entries = try folder.entries()
            try permitRemoval(of: entries.filter { $0.record?.state != .finished })
            for entry in entries { try folder.remove(entry.id) }
            say("removed \(HumanFormat.count(entries.count, "job"))")
        }
        return .complete
    }

    private func resume(_ entry: JournalFolder.Entry) async throws -> ExitCode {
        guard let record = entry.record else {
            throw CommandError(.failure, entry.trouble ?? "job \(entry.id) cannot be read")
        }
        guard record.state != .finished else {
            throw CommandError(.failure, "job \(entry.id) is finished: its catalogue is written")
        }
        guard FileManager.default.changeCurrentDirectoryPath(record.folder) else {
            throw CommandError(.input, "\(record.folder): cannot change to the folder in which the job was started")
        }
        return await Skyfarm.run(["scan"] + record.words, environment: options.environment)
    }

    /// Asks whether the results of jobs that are not finished may be lost.
    private func permitRemoval(of unfinished: [JournalFolder.Entry]) throws(CommandError) {
        if unfinished.isEmpty || options.isPermitted { return }
        let jobs = HumanFormat.count(unfinished.count, "unfinished job")
        guard Terminal.standardInput.isTerminal, Terminal.standardError.isTerminal else {
            throw CommandError(.failure, "\(jobs): results would be lost; add --yes to remove them, too")
        }
        StandardError.write("remove \(jobs), with the results so far? [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else { throw CommandError(.failure, "nothing was removed") }
    }

    func say(_ line: String) {
        if !options.common.quiet { StandardError.write(line + "\n") }
    }
}

extension JobsCommand {
    struct Options: Equatable, Sendable {
        var action: Action
        /// Whether unfinished jobs may be removed without a question.
        var isPermitted: Bool
        var folder: JournalFolder
        /// Jobs that were handed to a node; nil if the environment defines no folder for them.
        var submitted: SubmittedJobs?
        var environment: [String: String]
        var common: CommonOptions

        enum Action: Equatable, Sendable {
            case list, removeAll
            case show(String, failed: Bool)
            case resume(String)
            case remove(String)
            case pause(String), cancel(String), watch(String), run(String)
            case wait([String])

            static let names = [
                "list", "show", "watch", "wait", "pause", "resume", "cancel", "remove", "run",
            ]
        }

        init(_ arguments: Arguments) throws(UsageError) {
            common = try CommonOptions(arguments)
            environment = arguments.environment
            action = try Self.action(
                arguments.positionals, all: try arguments[JobsCommand.all], failed: try arguments[JobsCommand.failed])
            isPermitted = try arguments[JobsCommand.yes]
            if isPermitted, action != .removeAll { throw UsageError("--yes belongs to jobs remove --all") }
            submitted = SubmittedJobs(environment: arguments.environment)
            do throws(JournalError) {
                folder = try JournalFolder(environment: arguments.environment)
            } catch {
                throw UsageError(error.message)
            }
        }

        private static func action(_ words: [String], all: Bool, failed: Bool) throws(UsageError) -> Action {
            let verb = words.first ?? "list"
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

    private static let failed = Option.toggle("failed", help: "With show: list the sectors that could not be scanned")
    private static let all = Option.toggle(
        "all", help: "With remove: remove all jobs; asks first if some are unfinished")
    private static let yes = Option.toggle("yes", help: "With remove --all: remove unfinished jobs without a question")

    static let spec = CommandSpec(
        name: "jobs",
        summary: "List, watch, pause, resume, cancel or remove scans",
        examples: [
            .init(
                line: "skyfarm jobs", explanation: "List all scans that have a journal, newest first."),
            .init(
                line: "skyfarm jobs watch 1f0c", explanation: "Show the progress of a submitted job until it ends."),
            .init(
                line: "skyfarm jobs resume 1f0c",
                explanation: "Resume the job whose ID begins with 1f0c, in the folder where it was started."),
            .init(
                line: "skyfarm jobs remove --all",
                explanation: "Remove the journals of all jobs, after a question if some are unfinished."),
        ],
        description: [
            "A journal keeps the result of every finished task until the catalogue is written. The same command on the"
                + " same image resumes the scan, and so does jobs resume, which has the exit codes of skyfarm-scan(1)."
                + " The journal of many images keeps which files are done, and no results of tasks.",
            "The record of a finished job is kept. A partial job keeps its results as well: the same command retries"
                + " the missing sectors.",
            "The jobs of skyfarm-submit(1) come first in the list. watch shows the progress of one until it ends and has the"
                + " exit code of its scan; wait waits for several, and has the first exit code that is not 0. pause ends the"
                + " process of a job, which keeps its journal, and resume has it run again, also after cancel or a failure."
                + " These need the node that took the job; list, show, watch and wait do not. run is what the node starts.",
        ],
        arguments: [
            ArgumentSpec(
                name: "ACTION", help: "list (the default), show, watch, wait, pause, resume, cancel, remove or run",
                isRequired: false,
                choices: Options.Action.names),
            ArgumentSpec(
                name: "ID", help: "the job's ID, or its first characters; with wait one or more", isRequired: false,
                repeats: true),
        ],
        sections: [
            OptionSection(title: "Options", options: [failed.spec, all.spec, yes.spec]), CommonOptions.section,
        ],
        exitCodes: Set(ExitCode.all), files: [.journals, .submitted])
}
