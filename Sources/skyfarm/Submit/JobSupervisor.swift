import CommandLineKit
import Foundation
import ScanBasics
import ScanCluster

/// Runs the submitted jobs of a user, each in a process of its own, as ``JobQueueState`` decides. The processes outlive
/// this one; the next supervisor takes them over.
actor JobSupervisor {
    private let jobs: SubmittedJobs
    /// Absolute path of this program.
    private let program: String
    private let say: @Sendable (String) -> Void
    private var queue: JobQueueState
    /// The children that run jobs.
    private var processes: [String: pid_t] = [:]
    private var isClosed = false

    init(_ jobs: SubmittedJobs, limit: Int, program: String, say: @escaping @Sendable (String) -> Void) {
        (self.jobs, self.program, self.say) = (jobs, program, say)
        queue = JobQueueState(limit: limit)
    }

    /// Takes over the jobs that run, and starts those that wait.
    func begin() {
        let entries = jobs.entries().filter { $0.job.order == .run && $0.result == nil }
        for entry in entries where entry.process != nil {
            say("job \(entry.job.id) runs on, in process \(entry.process ?? 0)")
            adopt(entry.job.id)
            perform(queue.add(entry.job.id, isRunning: true))
        }
        for entry in entries where entry.process == nil { perform(queue.add(entry.job.id)) }
    }

    /// Starts nothing from now on. What runs is left to the next supervisor.
    func close() { isClosed = true }

    func answer(_ request: LocalRequest) -> LocalReply {
        do {
            return LocalReply(id: try handle(request))
        } catch {
            let error = CommandError(error, in: "jobs")
            return LocalReply(error: error.description, code: error.code.rawValue)
        }
    }

    private func handle(_ request: LocalRequest) throws -> String {
        if request.action == .submit {
            guard let words = request.words, let folder = request.folder else { throw UsageError("no job was sent") }
            return try submit(words, in: folder, request.environment ?? [:])
        }
        guard let id = request.id, let entry = jobs.entry(id) else {
            throw CommandError(.failure, "no submitted job has the ID \(request.id ?? ""); `skyfarm jobs` lists them")
        }
        switch request.action {
        case .submit, .pauseNode, .resumeNode: preconditionFailure("handled before")
        case .pause: try order(.pause, entry, from: [.waiting, .running])
        case .cancel: try order(.cancel, entry, from: [.waiting, .running, .paused])
        case .resume: try order(.run, entry, from: [.paused, .cancelled, .failed, .partial])
        }
        return id
    }

    private func submit(_ words: [String], in folder: String, _ environment: [String: String]) throws -> String {
        var id: String
        repeat {
            id = UInt32.random(in: 0...UInt32.max).hexadecimal
        } while FileManager.default.fileExists(atPath: jobs.folder(id))
        let job = SubmittedJob(
            id: id, words: words, folder: folder, environment: environment, submitted: Date().timeIntervalSince1970)
        try jobs.write(job)
        say("job \(id) was submitted")
        perform(queue.add(id))
        return id
    }

    private func order(
        _ order: SubmittedJob.Order, _ entry: SubmittedEntry, from states: [SubmittedJob.State]
    ) throws(any Error) {
        guard states.contains(entry.state) else {
            throw CommandError(.failure, "job \(entry.job.id) is \(entry.state.rawValue)")
        }
        var job = entry.job
        job.order = order
        try jobs.write(job)
        if order == .run {
            jobs.removeResult(of: job.id)
            perform(queue.add(job.id))
        } else {
            perform(queue.stop(job.id))
        }
    }

    private func perform(_ actions: [JobQueueState.Action]) {
        for action in actions {
            switch action {
            case .start(let id): if !isClosed { start(id) }
            case .stop(let id):
                // A child may not have noted yet that it runs the job.
                let process = processes[id] ?? jobs.entry(id)?.process.map { pid_t($0) } ?? 0
                if process > 1 { kill(process, SIGTERM) }
            case .giveUp(let id):
                say("job \(id) ended \(JobQueueState.endLimit) times without a result; it is not started again")
                end(id, .failure)
            }
        }
    }

    private func start(_ id: String) {
        guard let entry = jobs.entry(id) else { return ended(id) }
        do throws(CommandError) {
            let process = try DetachedProcess.start(
                [program, "jobs", "run", id], in: entry.job.folder, log: jobs.logPath(id),
                environment: entry.job.environment)
            processes[id] = process
            say("job \(id) begins, in process \(process)")
            Task {
                await DetachedProcess.end(of: process)
                self.ended(id)
            }
        } catch {
            say("job \(id): \(error)")
            end(id, error.code)
            // Not from inside the loop over the actions.
            Task { self.ended(id) }
        }
    }

    private func end(_ id: String, _ code: ExitCode) {
        try? jobs.write(SubmittedJob.Result(code: code.rawValue, ended: Date().timeIntervalSince1970), of: id)
    }

    /// Watches a process that an earlier supervisor started: only its parent could wait for it.
    private func adopt(_ id: String) {
        Task {
            while jobs.entry(id)?.process != nil { try await Task.sleep(for: .milliseconds(500)) }
            self.ended(id)
        }
    }

    private func ended(_ id: String) {
        processes[id] = nil
        let entry = jobs.entry(id)
        if let entry { say("job \(id) is \(entry.state.rawValue)") }
        perform(queue.ended(id, isDone: entry?.result != nil, isWanted: entry?.job.order == .run))
    }
}
