import CommandLineKit
import Console
import Foundation
package import SkyScan

/// A command that was submitted to a node.
package struct SubmittedJob: Codable, Equatable, Sendable {
    package var v = 1
    package var id: String
    /// The command; nil for `skyfarm scan`.
    package var verb: JobVerb?
    /// Arguments of the command.
    package var words: [String]
    /// IDs of the jobs after which it begins, if they end well.
    package var after: [String]?
    /// Folder in which it was submitted.
    package var folder: String
    /// Environment variables with which it runs.
    package var environment: [String: String]
    /// Time of submission, in seconds since 1970.
    package var submitted: Double
    package var order = Order.run
    /// User and host that submitted it, or nil for a job of this machine's user.
    package var from: String?
    /// State folder of the node that runs it, if other nodes can take it over.
    package var owner: String?
    /// Weight that was set after the submission.
    package var weight: Double?

    package init(id: String, words: [String], folder: String, environment: [String: String], submitted: Double) {
        (self.id, self.words, self.folder) = (id, words, folder)
        (self.environment, self.submitted) = (environment, submitted)
    }

    /// State that the user requests.
    package enum Order: String, Codable, Sendable { case run, pause, cancel }

    /// Outcome of a job that has ended.
    package struct Result: Codable, Equatable, Sendable {
        package var v = 1
        /// Exit code of the command.
        package var code: Int32
        /// Time of the end, in seconds since 1970.
        package var ended: Double
        /// State that its journal records, or nil without a journal.
        package var state: JobRecord.State?
        /// Number of files that failed as a whole or in part, or nil without a journal.
        package var filesFailed: Int?

        package init(code: Int32, ended: Double, journal: JournalFolder.Entry? = nil) {
            (self.code, self.ended, state) = (code, ended, journal?.record?.state)
            filesFailed = journal?.failedFiles.count
        }
    }

    package enum State: String, Sendable {
        /// The job starts when its node runs and has a free place.
        case waiting
        case running
        case paused, cancelled
        /// The process was told to stop, for a pause or a cancellation.
        case stopping
        /// The node is silent; `jobs resume ID --on NODE` continues the job elsewhere.
        case lost
        /// All catalogues are written, or a part of them.
        case finished, partial
        case failed
    }

    /// Returns the state that results from the files of the job. `process` runs the job, or is nil if none does.
    package func state(process: Int?, result: Result?) -> State {
        if let result {
            return switch result.code {
            case ExitCode.complete.rawValue: .finished
            case ExitCode.partialCatalogue.rawValue: result.state == .finished ? .finished : .partial
            default: .failed
            }
        }
        switch order {
        case .run: return process == nil ? .waiting : .running
        case .pause: return process == nil ? .paused : .stopping
        case .cancel: return process == nil ? .cancelled : .stopping
        }
    }

    /// Arguments of its command, including the weight that was set later.
    package var finalWords: [String] {
        let option = NodeOptions.weight.spec.name
        guard let weight, (verb ?? .scan).spec.options.contains(where: { $0.name == option }) else { return words }
        let flag = "--" + option
        var (kept, skips) = ([String](), false)
        for (index, word) in words.enumerated() {
            if word == "--" {
                kept += words[index...]
                break
            }
            if !skips, word != flag, !word.hasPrefix(flag + "=") { kept.append(word) }
            skips = word == flag
        }
        return ["\(flag)=\(weight)"] + kept
    }

    /// Command line, for users.
    package var command: String {
        commandLine(["skyfarm", (verb ?? .scan).rawValue] + finalWords)
    }

    /// Selects the variables of `environment` with which a job runs: those of the user, the locale and Skyfarm.
    package static func variables(of environment: [String: String]) -> [String: String] {
        let names = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH"]
        return environment.filter { name, _ in
            names.contains(name) || ["LC_", "XDG_", "SKYFARM_", "SWIFT_"].contains(where: name.hasPrefix)
        }
    }
}

/// A submitted job with the contents of its folder.
package struct SubmittedEntry: Equatable, Sendable {
    package var job: SubmittedJob
    /// ID of the process that runs it.
    package var process: Int?
    package var result: SubmittedJob.Result?
    package var progress: JobProgress?
    /// Last line of its log that is not an event.
    package var message: String?
    /// Lease of a job that several machines can run.
    package var lease: JobLease?
    /// Systems that work on it.
    package var systems = JobSystems()

    /// State for a process of this machine.
    package var state: SubmittedJob.State { job.state(process: process, result: result) }

    /// Whether a process of this machine runs it or is going to.
    var isActive: Bool { [.waiting, .running, .stopping].contains(state) }

    /// Returns whether another machine runs the job, or ran it.
    func isForeign(to owner: String) -> Bool { (job.owner ?? owner) != owner }

    /// Returns the state for a node with the state folder `owner`. `isExpired` tells whether the node has observed that
    /// the lease expired.
    package func state(for owner: String, isExpired: Bool) -> SubmittedJob.State {
        guard isForeign(to: owner) else { return state }
        let isHeld = lease.map { !$0.isReleased } ?? false
        if isHeld, isExpired, result == nil, job.order == .run { return .lost }
        return job.state(process: isHeld && !isExpired ? 0 : nil, result: result)
    }
}

/// Totals of an event of `--progress json`; see Docs/Progress.md.
package struct JobProgress: Codable, Equatable, Sendable {
    package var event: String
    /// ID of the journal.
    package var job: String?
    package var files: Int?
    package var filesDone: Int?
    package var tasks: Int
    package var tasksDone: Int
    package var pixels: Int
    package var pixelsDone: Int
    package var rate: Double?
    package var secondsLeft: Double?
    package var retries: Int
    package var systems: Int
    package var slotsTotal: Int

    /// Copy with numbers limited to a valid range, since a peer may send any.
    var possible: JobProgress {
        func count(_ number: Int) -> Int { min(max(0, number), 1 << 50) }
        var progress = self
        (progress.files, progress.filesDone) = (files.map(count), filesDone.map(count))
        (progress.tasks, progress.tasksDone) = (count(tasks), count(tasksDone))
        (progress.pixels, progress.pixelsDone) = (count(pixels), count(pixelsDone))
        (progress.retries, progress.systems, progress.slotsTotal) = (count(retries), count(systems), count(slotsTotal))
        // JSON supports finite numbers only.
        (progress.rate, progress.secondsLeft) = (rate.flatMap(\.ifFinite), secondsLeft.flatMap(\.ifFinite))
        return progress
    }

    /// Progress such as `12/40`.
    package var short: String {
        if let files, let filesDone { return files == 0 ? "\(filesDone) files" : "\(filesDone)/\(files) files" }
        return "\(tasksDone)/\(tasks)"
    }

    /// Progress in one line.
    package var text: String {
        var facts = ["\(tasksDone) of \(HumanFormat.count(tasks, "task"))"]
        if let files, let filesDone { facts.insert("\(filesDone) of \(HumanFormat.count(files, "file"))", at: 0) }
        if let rate { facts.append(HumanFormat.pixelRate(rate)) }
        if let secondsLeft, event != "ended" { facts.append("\(HumanFormat.duration(seconds: secondsLeft)) left") }
        if retries > 0 { facts.append("\(retries) retried") }
        facts.append("\(HumanFormat.count(slotsTotal, "slot")) on \(HumanFormat.count(systems, "system"))")
        return facts.joined(separator: ", ")
    }
}

extension Double {
    /// The number, or nil if it is not finite.
    var ifFinite: Double? { isFinite ? self : nil }
}
