import CommandLineKit
import Console
import Foundation
import ScanBasics

/// Jobs that begin after others have ended well (`--after`).
extension JobSupervisor {
    /// How a job ended on which another one depends.
    private enum Outcome {
        /// It has not ended, or goes on after a pause.
        case pending
        case well
        /// It did not end well, for this reason.
        case ill(String)
    }

    private func outcome(of id: String) -> Outcome {
        guard let entry = stores.find(id)?.entry else { return stores.lacks(id) ? .ill("was removed") : .pending }
        if let result = entry.result {
            return result.code == ExitCode.complete.rawValue ? .well : .ill("ended with exit code \(result.code)")
        }
        return entry.job.order == .cancel ? .ill("was cancelled") : .pending
    }

    /// Returns the full IDs of the jobs that a user names by their beginnings.
    /// - Throws: `CommandError` if there is no such job, or it has not ended well.
    func predecessors(_ names: [String]) throws(CommandError) -> [String] {
        var found: [String] = []
        for name in names {
            let ids = stores.entries().map(\.job.id).filter { $0.hasPrefix(name.lowercased()) }
            guard ids.count == 1, let id = ids.first, !name.isEmpty else {
                throw CommandError(
                    .failure,
                    ids.isEmpty
                        ? "--after \(name.printable): no submitted job has that ID; `skyfarm jobs` lists them"
                        : "--after \(name.printable): several jobs have IDs that begin so; write more of it")
            }
            if case .ill(let reason) = outcome(of: id) {
                throw CommandError(
                    .failure, "--after \(id): that job \(reason); `skyfarm jobs resume \(id)` runs it again first")
            }
            found.append(id)
        }
        return found
    }

    /// Adds a job to the queue as soon as the jobs on which it depends allow that.
    func enqueue(_ job: SubmittedJob) {
        var pending: Set<String> = []
        for id in job.after ?? [] {
            switch outcome(of: id) {
            case .pending: pending.insert(id)
            case .well: break
            case .ill:
                refuse(job.id, because: id)
                return perform(queue.settled(job.id, isWell: false))
            }
        }
        perform(queue.add(job.id, after: pending))
    }

    /// Lets the jobs that depend on this one start, or refuses them, if it has ended for good.
    func settle(_ id: String) {
        switch outcome(of: id) {
        case .pending: break
        case .well: perform(queue.settled(id, isWell: true))
        case .ill: perform(queue.settled(id, isWell: false))
        }
    }

    /// Ends a job that was not begun, with the reason in its log.
    func refuse(_ id: String, because other: String) {
        guard let (jobs, entry) = stores.find(id), entry.result == nil else { return }
        let reason =
            if case .ill(let words) = outcome(of: other) {
                words
            } else {
                stores.find(other) == nil ? "was removed" : "did not end well"
            }
        let text =
            "job \(other), after which this one runs, \(reason): `skyfarm jobs resume \(other)`, then"
            + " `skyfarm jobs resume \(id)`"
        say("job \(id) is not begun: \(text)")
        _ = try? jobs.inFolder { names in
            // A job in a shared folder that was never begun has no folder of a run.
            try? FileManager.default.createDirectory(
                atPath: names.run(id), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let log = open(names.log(id), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard log >= 0 else { return }
            let file = OpenDescriptor(log)
            _ = Array("skyfarm: \(text)\n".utf8).withUnsafeBytes { writeAll($0, to: file.number) }
        }
        end(id, .failure)
    }
}
