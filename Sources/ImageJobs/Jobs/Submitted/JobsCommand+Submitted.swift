import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import ScanCluster
import ScanFarm
import SkyScan
import TaskJournal

extension JobsCommand {
    /// Removes a submitted job of this machine.
    package func remove(_ entry: SubmittedEntry, of jobs: SubmittedJobs) throws {
        // Takes the lock, so that no other process starts the job meanwhile.
        let lock = try jobs.lock(entry.job.id)
        defer { withExtendedLifetime(lock) {} }
        guard !entry.isActive else {
            throw CommandError(.failure, "job \(entry.job.id) is \(entry.state.rawValue): cancel it first")
        }
        try jobs.remove(entry.job.id)
    }

    // MARK: Running

    /// Runs a submitted job in the process that the node started for it. `id` is the path of the job's folder if other
    /// nodes may take the job over.
    func runSubmitted(_ id: String) async throws -> ExitCode {
        let jobs = id.hasPrefix("/") ? SubmittedJobs(sharedFolder: id) : options.submitted
        let id = (id as NSString).lastPathComponent
        let noJob = CommandError(.failure, "no submitted job has the ID \(id)")
        guard let jobs, jobs.entry(id) != nil else { throw noJob }
        // Kept open for the whole run, so that names in it lead to the folder that was checked.
        let (names, folder) = try jobs.opened()
        defer { withExtendedLifetime(folder) {} }
        // Observed before the lock is taken, since changes of the weight are signalled to the process that has the
        // lock.
        let known = options.environment[KnownPeers.variable].flatMap(KnownPeers.init(text:))
        let submitted = SubmittedRun(id, known: known)
        let signals = submitted.observe { jobs.entry(id)?.job.weight }
        defer { withExtendedLifetime(signals) {} }
        let lock = try JournalLock(path: names.lock(id), remedies: .command)
        defer { withExtendedLifetime(lock) {} }
        guard let job = jobs.entry(id)?.job else { throw noJob }
        let lease = jobs.isShared ? jobs.lease(id) : nil
        let renewal = lease.map { lease in
            LeaseRenewal(lease, of: id, in: jobs) { reason in
                StandardError.write("skyfarm: \(reason.printable); this run ends\n")
                // Exits at once, since nothing may be written any more.
                _exit(ExitCode.terminated.rawValue)
            }
        }
        let code = await SubmittedRun.$current.withValue(submitted) { await run(job, of: jobs, names) }
        // A job that was told to stop has no result: it is paused or cancelled, or resumed by the next node.
        if code != .interrupted, code != .terminated, lease == nil || jobs.newest(id) == lease?.number {
            let ended = Date().timeIntervalSince1970
            try jobs.write(
                SubmittedJob.Result(code: code.rawValue, ended: ended, journal: jobs.journal(of: id)), of: id)
        }
        renewal?.stop()
        if var lease, jobs.newest(id) == lease.number {
            lease.isReleased = true
            try jobs.renew(lease, id)
            if jobs.entry(id)?.result != nil { jobs.removeOldRuns(of: id) }
        }
        return code
    }

    /// Runs a job. A job that another machine may have submitted is confined to the permit of this node's owner.
    private func run(_ job: SubmittedJob, of jobs: SubmittedJobs, _ names: JobFolder) async -> ExitCode {
        do {
            let verb = job.verb ?? .scan
            let hasWritten = try OutputRecord.begin(names.written(job.id))
            var environment = options.environment
            environment[KnownPeers.variable] = nil
            if jobs.isShared {
                try confine(job)
                // The arguments of the job are complete, so that settings of this user do not apply.
                environment = environment.filter { !$0.key.hasPrefix("SKYFARM_") }
                environment["XDG_STATE_HOME"] = names.run(job.id) + "/state"
            } else if !FileManager.default.changeCurrentDirectoryPath(job.folder) {
                throw CommandError(
                    .input, "\(job.folder): cannot change to the folder in which it was submitted")
            }
            return await verb.run(
                ["--progress", "json"] + (hasWritten ? verb.flagsAgain : []) + job.finalWords, environment,
                jobs.isShared ? SettingsFile() : options.settings)
        } catch {
            return Log().end(error, of: (job.verb ?? .scan).rawValue)
        }
    }

    /// Enters the folder of a job, and confines this process to the node's permit.
    private func confine(_ job: SubmittedJob) throws {
        guard let text = options.environment[JobPermit.variable],
            let permit = try? JSONDecoder().decode(JobPermit.self, from: Data(text.utf8))
        else { throw CommandError(.failure, "job \(job.id): only a node that accepts such jobs runs it") }
        let folders = try permit.confinedFolders()
        let finding = try permit.check(job.words, of: job.verb, in: job.folder, isRunning: false)
        let all = try ConfinedFolders(permit.folders + permit.data)
        guard let place = all.place(finding.folder), case let folder = try place.openFolder(),
            FileManager.default.changeCurrentDirectoryPath(folder.folderName)
        else { throw CommandError(.input, "\(finding.folder): cannot change to the folder of the job") }
        ProcessFiles.confine(writing: folders, reading: all)
        _ = try permit.check(job.words, of: job.verb, in: finding.folder, isRunning: true)
    }
}
