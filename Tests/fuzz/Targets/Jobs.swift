import Foundation
import ScanCluster

@testable import ScanBasics
@testable import Console
@testable import ImageJobs

extension FuzzTarget {
    /// What lies in a folder of jobs, where another node may have written it: jobs, leases, results, records of written
    /// files, logs; the first byte chooses.
    static let jobs = FuzzTarget(name: "jobs") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 5
        let rest = Array(input.rest)
        switch choice {
        case 0: if let job: SubmittedJob = decoded(rest) { use(job) }
        case 1: if let lease: JobLease = decoded(rest) { use(lease) }
        case 2:
            guard let result: SubmittedJob.Result = decoded(rest) else { return }
            let state = SubmittedJob(
                id: "1", words: [], folder: "/", environment: [:], submitted: 0
            ).state(process: nil, result: result)
            precondition([.finished, .partial, .failed].contains(state))
        case 3:
            let outputs = JobOutputs(rest, in: permit.folders)
            for file in outputs.all() { _ = try? outputs.piece(of: file.name, at: file.byteCount) }
            // Nothing outside of the folders is given, whatever the record says.
            precondition((try? outputs.piece(of: "/etc/passwd", at: 0)) == nil)
        default: use(log: String(decoding: rest, as: UTF8.self))
        }
    } seeds: {
        var job = SubmittedJob(
            id: "00ff", words: ["copyright", "-o", "/usr/share/doc/libc6/{name}.fits", "--weight=2"],
            folder: "/usr/share/doc/libc6", environment: ["HOME": "/"], submitted: 1.5e9)
        (job.from, job.owner, job.weight) = ("me@there", "/state", 0.5)
        let lease = JobLease(number: 3, owner: "/state", node: "there", beat: 9, limit: 30)
        let written = WrittenFile(path: "/usr/share/doc/libc6/copyright", size: 1, modified: 2)
        let progress = JobProgress(
            event: "progress", job: "1", files: 3, filesDone: 1, tasks: 40, tasksDone: 12, pixels: 1000,
            pixelsDone: 100,
            rate: 1e6, secondsLeft: 3, retries: 1, systems: 2, slotsTotal: 4)
        let log = """
            {"event":"joined","slots":4,"system":"there"}
            {"event":"retried","log":["a"],"reason":"lost","system":"there"}
            a warning
            {"event":"finished","system":"there"}

            """
        let texts: [String: (UInt8, String)] = [
            "job": (0, try JSONOutput.line(job)), "lease": (1, try JSONOutput.line(lease)),
            "result": (2, try JSONOutput.line(SubmittedJob.Result(code: 0, ended: 1.5e9))),
            "record": (3, try JSONOutput.line(written) + "{\"path\":"),
            "log": (4, log + (try JSONOutput.line(progress))),
        ]
        return texts.mapValues { Array($0.1.utf8).chosen($0.0) }
    }

    private static func decoded<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// A job that a node found: its command, its state, and where it may read and write.
    private static func use(_ job: SubmittedJob) {
        _ = (JobFolder.isID(job.id), job.command, job.state(process: nil, result: nil))
        use(words: job.finalWords, folder: job.folder)
        let entry = SubmittedEntry(job: job, process: nil)
        let row = JobRow(entry)
        precondition(!row.text.isEmpty && !row.failureText.isEmpty && !JobRow.text([row]).isEmpty)
        _ = entry.state(for: "/state", isExpired: true)
    }

    /// Checks the arguments of a job that somebody sent.
    static func use(words: [String], folder: String) {
        do {
            let finding = try permit.permit.check(words, in: folder, isRunning: false)
            precondition(finding.store == permit.permit.folders[0])
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }

    private static func use(_ lease: JobLease) {
        guard lease.isPossible else { return }
        var observation = LeaseObservation(lease, at: 0)
        observation.see(lease, at: 10)
        precondition(observation.isExpired(at: 3601))
        var keeper = LeaseKeeper(limit: lease.limit, at: 0)
        _ = keeper.attempted(isRenewed: true, newest: lease.number, own: lease.number, at: lease.period)
        _ = JobFolder(base: "/", isShared: true).lease("1", lease.number)
    }

    private static func use(log: String) {
        let (progress, message) = SubmittedJobs.last(of: log)
        if let progress { precondition(!progress.possible.text.isEmpty && !progress.possible.short.isEmpty) }
        precondition(message.map { $0.unicodeScalars.allSatisfy(\.isPrintable) } ?? true)
        let systems = JobSystems(log: log)
        precondition(systems.recent.count <= JobSystems.recentLimit)
        precondition(systems.failures.count <= JobSystems.failureLimit)
    }

    /// A small folder, which every Debian has, as that of `--accept-jobs`; nothing is written.
    private static let permit: (permit: JobPermit, folders: ConfinedFolders) = {
        let permit = JobPermit(folders: ["/usr/share/doc/libc6"])
        do { return (permit, try permit.confinedFolders()) } catch { preconditionFailure("\(error)") }
    }()
}
