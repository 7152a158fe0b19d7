import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
package import ScanCluster
import ScanFarm
import SkyScan
import TaskJournal

/// Runs the submitted jobs of a user, each in a separate process, as ``JobQueueState`` decides. The processes outlive
/// this one, and the next supervisor takes them over.
///
/// The actor has its own thread for file access, so that an unresponsive file system delays orders about jobs but not
/// the node.
///
/// ``begin()`` adopts running jobs and starts waiting ones; ``answer(_:)`` handles the requests of users; when a
/// process ends, the next job starts. A job in a shared folder is run under a ``JobLease``: ``observe()`` watches the
/// leases of other nodes, and a lost job can be taken over.
package actor JobSupervisor {
    private let executor = BlockingExecutor(label: "skyfarm.jobs")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Identity of a supervisor in the leases of its jobs.
    package struct Holder: Sendable {
        /// Distinguishes the user's state folder on this machine from others.
        package var owner: String
        package var node: String
        /// Time in seconds without a renewal after which another node may take a job over.
        package var limit: Double

        package init(owner: String, node: String, limit: Double) {
            self.owner = owner
            self.node = node
            self.limit = limit
        }
    }

    private(set) var stores: JobStores
    package let holder: Holder
    /// Absolute path of this program.
    private let program: String
    package let say: @Sendable (String) -> Void
    /// The node's registry and the node itself, for the jobs that start.
    private let known: @Sendable () -> [Systems.Peer]
    var queue: JobQueueState
    /// Child processes that run jobs, by ID of the job.
    private var processes: [String: pid_t] = [:]
    private var isClosed = false
    private var observations: [String: LeaseObservation] = [:]

    package init(
        _ stores: JobStores, limit: Int, holder: Holder, program: String,
        known: @escaping @Sendable () -> [Systems.Peer] = { [] }, say: @escaping @Sendable (String) -> Void
    ) {
        (self.stores, self.holder, self.program, self.known, self.say) = (stores, holder, program, known, say)
        queue = JobQueueState(limit: limit)
    }

    /// Adopts running jobs and starts waiting ones.
    package func begin() {
        let entries = stores.entries().filter {
            $0.job.order == .run && $0.result == nil && !$0.isForeign(to: holder.owner)
        }
        for entry in entries where entry.process != nil {
            say("job \(entry.job.id) runs on, in process \(entry.process ?? 0)")
            adopt(entry.job.id)
            perform(queue.add(entry.job.id, isRunning: true))
        }
        for entry in entries where entry.process == nil { enqueue(entry.job) }
    }

    /// Starts no more jobs. Running jobs are left to the next supervisor.
    package func close() { isClosed = true }

    package func answer(_ request: LocalRequest) async -> LocalReply {
        do {
            return LocalReply(id: try await handle(request))
        } catch {
            let error = CommandError(error, in: "jobs")
            return LocalReply(error: error.description, code: error.code.rawValue)
        }
    }

    private func handle(_ request: LocalRequest) async throws -> String {
        if request.action == .submit { return try submit(request) }
        guard let id = request.id, var entry = stores.find(id)?.entry else {
            let id = request.id ?? ""
            throw CommandError(
                .failure,
                stores.lacks(id)
                    ? "no submitted job has the ID \(id); `skyfarm jobs` lists them"
                    : "the folder of job \(id) cannot be read; try again when its file system is mounted")
        }
        if entry.isForeign(to: holder.owner), request.action != .remove {
            guard request.action == .resume else {
                throw CommandError(.failure, "job \(id) is run by \(entry.lease?.node ?? "another node")")
            }
            entry = try await takeOver(entry)
        }
        switch request.action {
        case .submit, .pauseNode, .resumeNode, .peers: preconditionFailure("handled before")
        case .pause: try order(.pause, entry, from: [.waiting, .running])
        case .cancel: try order(.cancel, entry, from: [.waiting, .running, .paused])
        case .resume:
            // The job's own node may never return. If it starts the job after all, it sees another owner.
            let waiting: [SubmittedJob.State] = entry.isForeign(to: holder.owner) ? [.waiting] : []
            // Files that failed may have been mended.
            let finished: [SubmittedJob.State] = entry.result?.code == ExitCode.complete.rawValue ? [] : [.finished]
            try order(.run, entry, from: [.paused, .cancelled, .failed, .partial, .lost] + waiting + finished)
        case .remove: try remove(entry)
        case .priority:
            guard let weight = request.weight else { throw UsageError("no weight was sent") }
            var job = entry.job
            job.weight = weight
            try write(job)
            // Read again, since a process that started meanwhile may have read the job before it was changed.
            if let process = stores.find(id)?.entry.process, process > 1 { kill(pid_t(process), SubmittedRun.signal) }
        }
        return id
    }

    private func submit(_ request: LocalRequest) throws -> String {
        guard let words = request.words, let folder = request.folder else { throw UsageError("no job was sent") }
        let after = try predecessors(request.after ?? [])
        let jobs = request.store.map { SubmittedJobs(sharedIn: $0) } ?? stores.own
        stores.add(jobs, request.permit)
        var id: String
        repeat { id = UInt32.random(in: 0...UInt32.max).hexadecimal } while stores.find(id) != nil
        var job = SubmittedJob(
            id: id, words: words, folder: folder, environment: request.environment ?? [:],
            submitted: Date().timeIntervalSince1970)
        (job.from, job.verb, job.after) = (request.from, request.verb, after.isEmpty ? nil : after)
        job.owner = jobs.isShared ? holder.owner : nil
        try jobs.write(job)
        say("job \(id) was submitted\(job.from.map { " by \($0.printable)" } ?? "")")
        enqueue(job)
        return id
    }

    private func order(
        _ order: SubmittedJob.Order, _ entry: SubmittedEntry, from states: [SubmittedJob.State]
    ) throws(any Error) {
        let state = state(of: entry)
        guard states.contains(state) else {
            let remedy = state == .finished ? ": `skyfarm jobs fetch \(entry.job.id)` copies what it wrote" : ""
            throw CommandError(.failure, "job \(entry.job.id) is \(state.rawValue)\(remedy)")
        }
        var job = entry.job
        job.order = order
        if job.owner != nil { job.owner = holder.owner }
        try write(job)
        if order == .run {
            stores.find(job.id)?.jobs.removeResult(of: job.id)
            enqueue(job)
        } else {
            perform(queue.stop(job.id))
            settle(job.id)
        }
    }

    /// Removes a job that is not running, including a job of a lost node.
    private func remove(_ entry: SubmittedEntry) throws {
        let (id, state) = (entry.job.id, state(of: entry))
        guard ![.waiting, .running, .stopping].contains(state) else {
            throw CommandError(
                .failure,
                "job \(id) is \(state.rawValue)\(entry.lease.map { " on \($0.node)" } ?? ""): cancel it first")
        }
        guard let jobs = stores.find(id)?.jobs else { return }
        try jobs.remove(id)
        observations[id] = nil
        say("job \(id) was removed")
        perform(queue.settled(id, isWell: false))
    }

    private func write(_ job: SubmittedJob) throws { try stores.find(job.id)?.jobs.write(job) }

    // MARK: Processes

    func perform(_ actions: [JobQueueState.Action]) {
        for action in actions {
            switch action {
            case .start(let id): if !isClosed { start(id) }
            case .stop(let id):
                // A child may not yet have recorded that it runs the job.
                let process = processes[id] ?? stores.find(id)?.entry.process.map { pid_t($0) } ?? 0
                if process > 1 { kill(process, SIGTERM) }
            case .giveUp(let id):
                say("job \(id) ended \(JobQueueState.endLimit) times without a result; it is not started again")
                end(id, .failure)
            case .refuse(let id, let other): refuse(id, because: other)
            }
        }
    }

    private func start(_ id: String) {
        guard let (jobs, entry) = stores.find(id), !entry.isForeign(to: holder.owner) else {
            // Deferred, since this runs within the loop over the actions.
            Task { self.ended(id) }
            return
        }
        do {
            if jobs.isShared {
                let last = jobs.newest(id) ?? 0
                guard
                    try jobs.claim(id, after: last, owner: holder.owner, node: holder.node, limit: holder.limit) != nil
                else {
                    say("job \(id) was begun by another node")
                    Task { self.ended(id) }
                    return
                }
            }
            let process = try jobs.inFolder { names in
                // A job of another machine changes to its folder itself, after it is confined.
                try DetachedProcess.start(
                    [program, "jobs", "run", jobs.isShared ? jobs.folder(id) : id],
                    in: jobs.isShared ? "/" : entry.job.folder, log: names.log(id),
                    environment: environment(of: entry.job, jobs))
            }
            processes[id] = process
            say("job \(id) begins, in process \(process)")
            Task {
                await DetachedProcess.end(of: process)
                self.ended(id)
            }
        } catch {
            let error = CommandError(error, in: "jobs")
            say("job \(id): \(error)")
            end(id, error.code)
            // Deferred, since this runs within the loop over the actions.
            Task { self.ended(id) }
        }
    }

    /// Returns the environment of a job. A job that another machine may have submitted or may take over has the
    /// variables of this node's user. Each has the node's registry, so that it connects these nodes without a search.
    private func environment(of job: SubmittedJob, _ jobs: SubmittedJobs) throws -> [String: String] {
        let systems = [KnownPeers.variable: KnownPeers(known()).text]
        guard jobs.isShared else { return SubmittedJob.variables(of: job.environment).merging(systems) { $1 } }
        guard let permit = stores.permit(of: jobs) else {
            throw CommandError(.failure, "job \(job.id): this node accepts no jobs in its folder")
        }
        var environment = SubmittedJob.variables(of: ProcessInfo.processInfo.environment)
        environment[JobPermit.variable] = try JSONOutput.line(permit)
        return environment.merging(systems) { $1 }
    }

    /// Returns the jobs as this node sees them.
    package func rows() -> [JobRow] { stores.entries().map { row(of: $0) } }

    /// Returns the job of this ID with what its journal records, or nil if there is none.
    package func row(_ id: String) -> JobRow? {
        guard let (jobs, entry) = stores.find(id) else { return nil }
        // A journal is read on one machine at a time.
        let isElsewhere = entry.isForeign(to: holder.owner) && entry.result == nil
        return row(of: entry, journal: isElsewhere ? nil : jobs.journal(of: id))
    }

    private func row(of entry: SubmittedEntry, journal: JournalFolder.Entry? = nil) -> JobRow {
        let isForeign = entry.isForeign(to: holder.owner)
        var row = JobRow(entry, journal: journal)
        row.state = state(of: entry).rawValue
        row.node = isForeign ? entry.lease?.node : holder.node
        row.isElsewhere = isForeign
        if isForeign { row.process = nil }
        // Rows are sent to other machines, whose users may not be allowed to see the live page.
        row.message = row.message?.withoutToken
        return row.sendable
    }

    /// Returns the job of this ID and its permit, which is nil for a job of the user.
    package func find(_ id: String) -> (entry: SubmittedEntry, permit: JobPermit?)? {
        stores.find(id).map { ($0.entry, stores.permit(of: $0.jobs)) }
    }

    /// Returns the outputs of a job.
    /// - Throws: `CommandError` if the job is unknown.
    package func outputs(of id: String) throws -> JobOutputs {
        guard let (jobs, _) = stores.find(id) else { throw CommandError(.failure, "no submitted job has that ID") }
        let record = try jobs.inFolder { PrivateFolder.bytes($0.written(id), limit: JobOutputs.recordLimit) }
        // Outputs of the user's own jobs may be anywhere; links are not followed in either case.
        let permit = stores.permit(of: jobs) ?? JobPermit(folders: ["/"])
        return JobOutputs(record ?? [], in: try permit.confinedFolders())
    }

    func end(_ id: String, _ code: ExitCode) {
        try? stores.find(id)?.jobs.write(
            SubmittedJob.Result(code: code.rawValue, ended: Date().timeIntervalSince1970), of: id)
    }

    /// Polls a process that an earlier supervisor started, since only its parent could wait for it.
    private func adopt(_ id: String) {
        Task {
            while stores.find(id).map({ $0.entry.process != nil }) ?? !stores.lacks(id) {
                try await Task.sleep(for: .milliseconds(500))
            }
            self.ended(id)
        }
    }

    private func ended(_ id: String) {
        processes[id] = nil
        // Whether it has a result is known once the folder can be read again.
        let entry = stores.find(id)?.entry
        guard entry != nil || stores.lacks(id) else {
            Task {
                try await Task.sleep(for: .milliseconds(500))
                self.ended(id)
            }
            return
        }
        if let entry { say("job \(id) is \(state(of: entry).rawValue)") }
        let isWanted = entry.map { $0.job.order == .run && !$0.isForeign(to: holder.owner) } ?? false
        perform(queue.ended(id, isDone: entry?.result != nil, isWanted: isWanted))
        settle(id)
    }

    // MARK: Leases

    /// Returns the state of a job as this node sees it.
    package func state(of entry: SubmittedEntry) -> SubmittedJob.State {
        entry.state(for: holder.owner, isExpired: isExpired(entry))
    }

    /// Returns whether this node has observed that the lease of a job was not renewed in time.
    private func isExpired(_ entry: SubmittedEntry) -> Bool {
        guard let lease = entry.lease else { return false }
        let now = LeaseRenewal.seconds
        observations[entry.job.id, default: LeaseObservation(lease, at: now)].see(lease, at: now)
        return observations[entry.job.id]?.isExpired(at: now) ?? false
    }

    /// Observes the leases of jobs of other nodes, to determine which jobs are lost.
    package func observe() {
        for jobs in stores.shared.map(\.jobs) {
            for entry in jobs.entries() where entry.result == nil && entry.isForeign(to: holder.owner) {
                _ = isExpired(entry)
            }
        }
        // Jobs that other nodes run end without a message.
        for id in queue.awaited.sorted() { settle(id) }
    }

    /// Waits until a job of another node may be continued here, because its lease is released or expired.
    /// - Throws: `CommandError` if that node still renews the lease.
    private func takeOver(_ entry: SubmittedEntry) async throws -> SubmittedEntry {
        let id = entry.job.id
        let beat = entry.lease?.beat
        while true {
            guard let current = stores.find(id)?.entry else {
                throw CommandError(.failure, "the folder of job \(id) cannot be read")
            }
            guard let lease = current.lease, !lease.isReleased, !isExpired(current) else { return current }
            if lease.beat != beat, current.job.order == .run {
                throw CommandError(
                    .failure, "\(lease.node) runs job \(id); `skyfarm jobs pause \(id)` has it end there first")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
