import CommandLineKit
import Foundation
import ScanCluster
import SkyScan

extension JobsCommand {
    /// A submitted job, as it is listed.
    struct SubmittedRow: Codable, Equatable {
        var id: String
        /// waiting, running, stopping, paused, cancelled, finished, partial or failed.
        var state: String
        var process: Int?
        /// Seconds since it was submitted.
        var ageSeconds: Double
        var command: String
        var folder: String
        var progress: JobProgress?
        /// ID of its journal, once it has one.
        var journal: String?
        /// The exit code of its scan.
        var code: Int32?
        /// The last line of its log.
        var message: String?

        init(_ entry: SubmittedEntry, now: Date = .now) {
            (id, state, process) = (entry.job.id, entry.state.rawValue, entry.process)
            ageSeconds = max(0, now.timeIntervalSince1970 - entry.job.submitted)
            (command, folder) = (entry.job.command, entry.job.folder)
            (progress, journal) = (entry.progress, entry.progress?.job)
            (code, message) = (entry.result?.code, entry.message)
        }

        static func text(_ rows: [SubmittedRow]) -> String {
            var table = TextTable(
                "SUBMITTED", "STATE", "AGE", "DONE", "LEFT", "COMMAND", texts: ["STATE", "COMMAND"])
            for row in rows {
                let left = row.state == "running" ? row.progress?.secondsLeft : nil
                table.add(
                    row.id, row.state, HumanFormat.age(seconds: row.ageSeconds), row.progress?.short ?? "-",
                    left.map { HumanFormat.duration(seconds: $0) } ?? "-", row.command)
            }
            return table.text
        }

        /// Everything known about the job, one item per line.
        var text: String {
            var lines = [
                "id      \(id)", "state   \(state)\(process.map { ", process \($0)" } ?? "")", "folder  \(folder)",
                "command \(command)",
            ]
            if let journal { lines.append("journal \(journal)") }
            if let progress { lines.append("done    \(progress.text)") }
            if let code { lines.append("code    \(code)") }
            if let message { lines.append("log     \(message)") }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    /// The submitted job whose ID begins so.
    func submitted(_ id: String) throws(CommandError) -> SubmittedEntry {
        guard let entry = options.submitted?.entry(prefix: id) else {
            throw CommandError(
                .failure, "no one submitted job has an ID that begins with \(id); `skyfarm jobs` lists them")
        }
        return entry
    }

    /// Shows, resumes or removes a submitted job.
    func manage(_ entry: SubmittedEntry, of jobs: SubmittedJobs) throws -> ExitCode {
        switch options.action {
        case .resume: return try send(to: entry)
        case .remove:
            // The lock, so that nobody begins it meanwhile.
            let lock = try jobs.lock(entry.job.id)
            defer { withExtendedLifetime(lock) {} }
            guard ![.waiting, .running, .stopping].contains(entry.state) else {
                throw CommandError(.failure, "job \(entry.job.id) is \(entry.state.rawValue): cancel it first")
            }
            try jobs.remove(entry.job.id)
            say("removed job \(entry.job.id)")
        default:
            let row = SubmittedRow(entry)
            try StandardOutput.write(options.common.json ? JSONOutput.document(row) : row.text)
        }
        return .complete
    }

    /// Sends the action to the node of this machine.
    func send(to entry: SubmittedEntry) throws -> ExitCode {
        let action: LocalRequest.Action =
            switch options.action {
            case .pause: .pause
            case .cancel: .cancel
            default: .resume
            }
        _ = try LocalSocket.send(LocalRequest(action: action, id: entry.job.id), options.environment)
        return .complete
    }

    // MARK: Waiting

    /// Waits for the ends of all jobs.
    /// - Returns: the first exit code that is not 0.
    func wait(for ids: [String]) async throws -> ExitCode {
        var code = ExitCode.complete
        for id in ids {
            var end: ExitCode?
            while end == nil {
                end = Self.end(of: try submitted(id))
                if end == nil { try await Task.sleep(for: .milliseconds(200)) }
            }
            if code == .complete { code = end ?? code }
        }
        return code
    }

    /// The exit code of a job that has ended; nil before.
    static func end(of entry: SubmittedEntry) -> ExitCode? {
        if let code = entry.result?.code { return ExitCode.all.first { $0.rawValue == code } ?? .failure }
        return entry.state == .cancelled ? .terminated : nil
    }

    /// Shows the progress of a job until it ends: its events with --progress json, else a line for each change, which a
    /// terminal replaces.
    func watch(_ id: String) async throws -> ExitCode {
        let isTerminal = Terminal.standardError.isTerminal && options.common.progress != .json
        var shown = ""
        while true {
            let entry = try submitted(id)
            let line =
                "\(entry.job.id) \(entry.state.rawValue)" + (entry.progress.map { ": \($0.text)" } ?? "")
            if options.common.progress == .json {
                let text = try entry.progress.map(JSONOutput.line) ?? ""
                if text != shown { StandardError.write(text) }
                shown = text
            } else if line != shown, !options.common.quiet {
                StandardError.write(isTerminal ? "\r\u{1b}[K\(line)" : line + "\n")
                shown = line
            }
            if let code = Self.end(of: entry) {
                if isTerminal, !shown.isEmpty { StandardError.write("\n") }
                if let message = entry.message { StandardError.write(message + "\n") }
                return code
            }
            try await Task.sleep(for: .milliseconds(isTerminal ? 200 : 1000))
        }
    }

    // MARK: Running

    /// Runs a submitted job, in the process that the node has started for it.
    func runSubmitted(_ id: String) async throws -> ExitCode {
        guard let jobs = options.submitted, let entry = jobs.entry(id) else {
            throw CommandError(.failure, "no submitted job has the ID \(id)")
        }
        let lock = try jobs.lock(id)
        defer { withExtendedLifetime(lock) {} }
        guard FileManager.default.changeCurrentDirectoryPath(entry.job.folder) else {
            throw CommandError(.input, "\(entry.job.folder): cannot change to the folder in which it was submitted")
        }
        let code = await Skyfarm.run(
            ["scan", "--progress", "json"] + entry.job.words, environment: options.environment)
        // A job that was told to stop has no result: it is paused or cancelled, or resumed by the next node.
        if code != .interrupted, code != .terminated {
            try jobs.write(SubmittedJob.Result(code: code.rawValue, ended: Date().timeIntervalSince1970), of: id)
        }
        return code
    }
}
