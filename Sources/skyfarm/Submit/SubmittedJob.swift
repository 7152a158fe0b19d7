import CommandLineKit
import Foundation

/// A scan that was handed to a node of this machine.
struct SubmittedJob: Codable, Equatable, Sendable {
    var v = 1
    var id: String
    /// The arguments of `skyfarm scan`.
    var words: [String]
    /// The folder in which it was submitted.
    var folder: String
    /// The variables with which it runs.
    var environment: [String: String]
    /// Seconds since 1970.
    var submitted: Double
    var order = Order.run

    /// What its user wants.
    enum Order: String, Codable, Sendable { case run, pause, cancel }

    /// How it ended.
    struct Result: Codable, Equatable, Sendable {
        var v = 1
        /// The exit code of the scan.
        var code: Int32
        /// Seconds since 1970.
        var ended: Double
    }

    enum State: String, Sendable {
        /// It begins when its node runs and has room.
        case waiting
        case running
        case paused, cancelled
        /// Its process has been told to stop, to pause or because of a cancellation.
        case stopping
        /// All, or a part, of its catalogues are written.
        case finished, partial
        case failed
    }

    /// The state, from what its folder holds. `process` runs it; nil if none does.
    func state(process: Int?, result: Result?) -> State {
        if let result {
            return switch result.code {
            case ExitCode.complete.rawValue: .finished
            case ExitCode.partialCatalogue.rawValue: .partial
            default: .failed
            }
        }
        switch order {
        case .run: return process == nil ? .waiting : .running
        case .pause: return process == nil ? .paused : .stopping
        case .cancel: return process == nil ? .cancelled : .stopping
        }
    }

    /// The command that it runs, for users.
    var command: String { (["skyfarm", "scan"] + words).map(quotedForShell).joined(separator: " ") }

    /// The variables of `environment` with which a job runs: those of the user, the place and Skyfarm.
    static func variables(of environment: [String: String]) -> [String: String] {
        let names = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH"]
        return environment.filter { name, _ in
            names.contains(name) || ["LC_", "XDG_", "SKYFARM_", "SWIFT_"].contains(where: name.hasPrefix)
        }
    }
}

/// A submitted job with the state of its folder.
struct SubmittedEntry: Equatable, Sendable {
    var job: SubmittedJob
    /// The process that runs it.
    var process: Int?
    var result: SubmittedJob.Result?
    var progress: JobProgress?
    /// The last line about it that is not an event.
    var message: String?

    var state: SubmittedJob.State { job.state(process: process, result: result) }
}

/// The totals of an event of `--progress json`; see Docs/Progress.md.
struct JobProgress: Codable, Equatable, Sendable {
    var event: String
    /// ID of the journal.
    var job: String?
    var files: Int?
    var filesDone: Int?
    var tasks: Int
    var tasksDone: Int
    var pixels: Int
    var pixelsDone: Int
    var rate: Double?
    var secondsLeft: Double?
    var retries: Int
    var systems: Int
    var slotsTotal: Int

    /// As in `12/40`.
    var short: String {
        if let files, let filesDone { return files == 0 ? "\(filesDone) files" : "\(filesDone)/\(files) files" }
        return "\(tasksDone)/\(tasks)"
    }

    /// One line.
    var text: String {
        var facts = ["\(tasksDone) of \(HumanFormat.count(tasks, "task"))"]
        if let files, let filesDone { facts.insert("\(filesDone) of \(HumanFormat.count(files, "file"))", at: 0) }
        if let rate { facts.append(HumanFormat.pixelRate(rate)) }
        if let secondsLeft { facts.append("\(HumanFormat.duration(seconds: secondsLeft)) left") }
        if retries > 0 { facts.append("\(retries) retried") }
        facts.append("\(HumanFormat.count(slotsTotal, "slot")) on \(HumanFormat.count(systems, "system"))")
        return facts.joined(separator: ", ")
    }
}
