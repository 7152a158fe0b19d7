import CommandLineKit
import Console
import Foundation

/// A scan that was handed to a node of this machine.
package struct SubmittedJob: Codable, Equatable, Sendable {
    package var v = 1
    package var id: String
    /// The arguments of `skyfarm scan`.
    package var words: [String]
    /// The folder in which it was submitted.
    package var folder: String
    /// The variables with which it runs.
    package var environment: [String: String]
    /// Seconds since 1970.
    package var submitted: Double
    package var order = Order.run
    /// User and host that submitted it; nil for one of this machine's user.
    package var from: String?
    /// Of a job that other nodes can take over: the state folder of the node that runs it.
    package var owner: String?
    /// The weight that was ordered after it was submitted.
    package var weight: Double?

    /// What its user wants.
    package enum Order: String, Codable, Sendable { case run, pause, cancel }

    /// How it ended.
    package struct Result: Codable, Equatable, Sendable {
        package var v = 1
        /// The exit code of the scan.
        package var code: Int32
        /// Seconds since 1970.
        package var ended: Double
    }

    package enum State: String, Sendable {
        /// It begins when its node runs and has room.
        case waiting
        case running
        case paused, cancelled
        /// Its process has been told to stop, to pause or because of a cancellation.
        case stopping
        /// Its node is silent: `jobs resume ID --on NODE` continues it elsewhere.
        case lost
        /// All, or a part, of its catalogues are written.
        case finished, partial
        case failed
    }

    /// The state, from what its folder holds. `process` runs it; nil if none does.
    package func state(process: Int?, result: Result?) -> State {
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

    /// The arguments of its scan.
    package var finalWords: [String] {
        guard let weight else { return words }
        let flag = "--" + NodeOptions.weight.spec.name
        var (kept, skips) = ([String](), false)
        for word in words {
            if !skips, word != flag, !word.hasPrefix(flag + "=") { kept.append(word) }
            skips = word == flag
        }
        return ["\(flag)=\(weight)"] + kept
    }

    /// The command that it runs, for users.
    package var command: String { (["skyfarm", "scan"] + finalWords).map(quotedForShell).joined(separator: " ") }

    /// The variables of `environment` with which a job runs: those of the user, the place and Skyfarm.
    package static func variables(of environment: [String: String]) -> [String: String] {
        let names = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH"]
        return environment.filter { name, _ in
            names.contains(name) || ["LC_", "XDG_", "SKYFARM_", "SWIFT_"].contains(where: name.hasPrefix)
        }
    }
}

/// A submitted job with the state of its folder.
package struct SubmittedEntry: Equatable, Sendable {
    package var job: SubmittedJob
    /// The process that runs it.
    package var process: Int?
    package var result: SubmittedJob.Result?
    package var progress: JobProgress?
    /// The last line about it that is not an event.
    package var message: String?
    /// Of a job that several machines can run.
    package var lease: JobLease?
    /// Who works for it.
    package var systems = JobSystems()

    /// The state for a process of this machine.
    package var state: SubmittedJob.State { job.state(process: process, result: result) }

    /// Whether another machine runs it, or did.
    func isForeign(to owner: String) -> Bool { (job.owner ?? owner) != owner }

    /// The state for a node with the state folder `owner`, which has observed whether the lease is expired.
    package func state(for owner: String, isExpired: Bool) -> SubmittedJob.State {
        guard isForeign(to: owner) else { return state }
        let isHeld = lease.map { !$0.isReleased } ?? false
        if isHeld, isExpired, result == nil, job.order == .run { return .lost }
        return job.state(process: isHeld && !isExpired ? 0 : nil, result: result)
    }
}

/// The totals of an event of `--progress json`; see Docs/Progress.md.
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

    /// The same with numbers that can be computed with: a peer may send any.
    var possible: JobProgress {
        func count(_ number: Int) -> Int { min(max(0, number), 1 << 50) }
        var progress = self
        (progress.files, progress.filesDone) = (files.map(count), filesDone.map(count))
        (progress.tasks, progress.tasksDone) = (count(tasks), count(tasksDone))
        (progress.pixels, progress.pixelsDone) = (count(pixels), count(pixelsDone))
        (progress.retries, progress.systems, progress.slotsTotal) = (count(retries), count(systems), count(slotsTotal))
        // JSON has no other numbers.
        (progress.rate, progress.secondsLeft) = (rate.flatMap(\.ifFinite), secondsLeft.flatMap(\.ifFinite))
        return progress
    }

    /// As in `12/40`.
    package var short: String {
        if let files, let filesDone { return files == 0 ? "\(filesDone) files" : "\(filesDone)/\(files) files" }
        return "\(tasksDone)/\(tasks)"
    }

    /// One line.
    package var text: String {
        var facts = ["\(tasksDone) of \(HumanFormat.count(tasks, "task"))"]
        if let files, let filesDone { facts.insert("\(filesDone) of \(HumanFormat.count(files, "file"))", at: 0) }
        if let rate { facts.append(HumanFormat.pixelRate(rate)) }
        if let secondsLeft { facts.append("\(HumanFormat.duration(seconds: secondsLeft)) left") }
        if retries > 0 { facts.append("\(retries) retried") }
        facts.append("\(HumanFormat.count(slotsTotal, "slot")) on \(HumanFormat.count(systems, "system"))")
        return facts.joined(separator: ", ")
    }
}

extension Double {
    /// The number, if it is one.
    var ifFinite: Double? { isFinite ? self : nil }
}
