import CommandLineKit
import Console
import Foundation
package import ScanBasics
import ScanCluster
package import SkyScan
package import TaskJournal

/// The folder of a user's submitted jobs. It has a folder for each job, with `job.json`, `log`, `lock` while a process
/// runs the job, and `result.json` after it has ended.
package struct SubmittedJobs: Equatable, Sendable {
    package let path: String
    /// Whether nodes of other machines use the folder as well; if so, each run has its own folder.
    let isShared: Bool

    package init(path: String, isShared: Bool = false) { (self.path, self.isShared) = (path, isShared) }

    /// Uses `$XDG_STATE_HOME/skyfarm/jobs`, or returns nil if the environment defines no such folder.
    package init?(environment: [String: String]) {
        guard let state = UserFolder.state.path(environment) else { return nil }
        self.init(path: state + "/jobs")
    }

    /// Paths for users; file operations use ``inFolder(isMade:_:)``.
    private var names: JobFolder { JobFolder(base: path, isShared: isShared) }
    package func folder(_ id: String) -> String { names.folder(id) }
    package func logPath(_ id: String) -> String { names.log(id) }

    /// Calls `body` with paths below the folder. For a shared folder they lead through the descriptor of the folder
    /// that was checked, so that nobody can replace it meanwhile.
    /// - Throws: `CommandError` if the folder is missing or not private, and the errors of `body`.
    package func inFolder<Result>(isMade: Bool = false, _ body: (JobFolder) throws -> Result) throws -> Result {
        let open = try opened(isMade: isMade)
        return try withExtendedLifetime(open) { try body(open.names) }
    }

    /// Opens the folder, which stays open during the lifetime of the result.
    package func opened(isMade: Bool = false) throws -> (names: JobFolder, folder: OpenDescriptor?) {
        guard isShared else {
            if isMade {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            for folder in [(path as NSString).deletingLastPathComponent, path] {
                if let distrust = UserFolder.distrust(folder) { throw CommandError(.failure, distrust) }
            }
            return (names, nil)
        }
        let ending = Self.path(in: "/")
        guard path.hasSuffix(ending) else { throw CommandError(.failure, "\(path): is no folder of jobs") }
        let place = String(path.dropLast(ending.count))
        let folder = try PrivateFolder.open(Self.sharedNames, below: place.isEmpty ? "/" : place, isMade: isMade)
        return (JobFolder(base: folder.folderName, isShared: true), folder)
    }

    /// Returns all jobs in the order of submission. Unreadable jobs are left out.
    package func entries() -> [SubmittedEntry] {
        let ids = (try? inFolder { try FileManager.default.contentsOfDirectory(atPath: $0.base) }) ?? []
        return ids.compactMap { entry($0) }.sorted { ($0.job.submitted, $0.job.id) < ($1.job.submitted, $1.job.id) }
    }

    package func entry(_ id: String) -> SubmittedEntry? {
        guard JobFolder.isID(id) else { return nil }
        return try? inFolder { names -> SubmittedEntry? in
            guard let job: SubmittedJob = read(names.job(id)), job.id == id else { return nil }
            let process = JournalLock.holder(path: names.lock(id))
            let log = String(decoding: PrivateFolder.tail(names.log(id), limit: 65_536), as: UTF8.self)
            let (progress, message) = Self.last(of: log)
            return SubmittedEntry(
                job: job, process: process, result: read(names.result(id)), progress: progress, message: message,
                lease: isShared ? lease(id, names) : nil, systems: JobSystems(log: log))
        }
    }

    /// Whether it is certain that there is no job of this ID: the folder can be read, and has none. Where nothing is mounted,
    /// the folder that others share is missing, or without any file.
    package func lacks(_ id: String) -> Bool {
        guard JobFolder.isID(id) else { return true }
        func isMissing(_ path: String) -> Bool {
            var status = stat()
            return lstat(path, &status) != 0 && errno == ENOENT
        }
        if let isMissing = try? inFolder({ isMissing($0.folder(id)) }) { return isMissing }
        guard isMissing(path) else { return false }
        let place = String(path.dropLast(Self.path(in: "/").utf8.count))
        return !isShared || (try? FileManager.default.contentsOfDirectory(atPath: place))?.isEmpty == false
    }

    /// Returns the job whose ID begins with `prefix`, or nil if there is none or several.
    package func entry(prefix: String) -> SubmittedEntry? {
        let found = entries().filter { $0.job.id.hasPrefix(prefix.lowercased()) }
        return found.count == 1 ? found[0] : nil
    }

    /// Acquires the exclusive right to run a job.
    /// - Throws: ``JournalError`` if another process holds it.
    package func lock(_ id: String) throws -> JournalLock {
        try inFolder { try JournalLock(path: $0.lock(id), remedies: .command) }
    }

    /// Writes a job so that the file is complete even after a crash.
    package func write(_ job: SubmittedJob) throws {
        try inFolder(isMade: true) { names in
            try FileManager.default.createDirectory(
                atPath: names.folder(job.id), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try write(job, to: names.job(job.id))
        }
    }

    package func write(_ result: SubmittedJob.Result, of id: String) throws {
        try inFolder { try write(result, to: $0.result(id)) }
    }

    /// Removes the result, so that the job can run again.
    func removeResult(of id: String) { _ = try? inFolder { unlink($0.result(id)) } }

    /// Removes a job with its journals: a run after a change of the inputs may have begun another one.
    package func remove(_ id: String) throws {
        try inFolder { names in
            if !isShared { try journals(of: id, names).remove(submission: id) }
            try FileManager.default.removeItem(atPath: names.folder(id))
        }
    }

    /// Returns what the journal of the newest run of a job records, or nil if there is none.
    package func journal(of id: String) -> JournalFolder.Entry? { try? inFolder { journal(of: id, $0) } }

    private func journal(of id: String, _ names: JobFolder) -> JournalFolder.Entry? {
        journals(of: id, names).entry(submission: id)
    }

    /// Each run of a job that several machines can run has journals of its own; others are among those of the user.
    private func journals(of id: String, _ names: JobFolder) -> JournalFolder {
        JournalFolder(
            path: isShared ? names.run(id) + "/state/skyfarm" : (names.base as NSString).deletingLastPathComponent)
    }

    package func write(_ value: some Encodable, to path: String) throws {
        let text = try JSONOutput.line(value)
        let temporary = "\(path).\(UInt64.random(in: 0...UInt64.max).hexadecimal)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.output, path, errno: errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.synchronize()
            guard rename(temporary, path) == 0 else { throw CommandError(.output, path, errno: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Maximum number of bytes of a job's file, since its words may name many files.
    private static let textLimit = 32 << 20

    package func read<Value: Decodable>(_ path: String) -> Value? {
        PrivateFolder.bytes(path, limit: Self.textLimit).flatMap {
            try? JSONDecoder().decode(Value.self, from: Data($0))
        }
    }

    /// Returns the last event of a log, and the last line that is not an event.
    package static func last(of log: String) -> (JobProgress?, String?) {
        var progress: JobProgress?
        var message: String?
        for line in log.split(separator: "\n").reversed() where progress == nil || message == nil {
            if let event = try? JSONDecoder().decode(JobProgress.self, from: Data(line.utf8)) {
                progress = progress ?? event
            } else if !line.hasPrefix("{") {
                message = message ?? String(line).printable
            }
        }
        return (progress, message)
    }
}
