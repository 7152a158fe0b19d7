import CommandLineKit
import Foundation
import ScanCluster
import SkyScan

/// The folder of a user's submitted jobs: a folder for each, with `job.json`, `log`, `lock` while a process runs it, and
/// `result.json` once it has ended.
struct SubmittedJobs: Equatable, Sendable {
    let path: String
    /// Whether nodes of other machines use the folder as well; then each run has a folder of its own.
    let isShared: Bool

    init(path: String, isShared: Bool = false) { (self.path, self.isShared) = (path, isShared) }

    /// `$XDG_STATE_HOME/skyfarm/jobs`; nil if the environment defines no such folder.
    init?(environment: [String: String]) {
        guard let state = UserFolder.state.path(environment) else { return nil }
        self.init(path: state + "/jobs")
    }

    func folder(_ id: String) -> String { "\(path)/\(id)" }
    func logPath(_ id: String) -> String { runFolder(id) + "/log" }
    private func jobPath(_ id: String) -> String { folder(id) + "/job.json" }
    private func resultPath(_ id: String) -> String { folder(id) + "/result.json" }
    private func lockPath(_ id: String) -> String { runFolder(id) + "/lock" }

    /// All jobs, in the order of submission. What is unreadable is left out.
    func entries() -> [SubmittedEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { entry($0) }.sorted { ($0.job.submitted, $0.job.id) < ($1.job.submitted, $1.job.id) }
    }

    func entry(_ id: String) -> SubmittedEntry? {
        // A job in a folder that others can write to is the user's own only if the file is.
        var status = stat()
        guard !isShared || stat(jobPath(id), &status) == 0 && status.st_uid == geteuid() else { return nil }
        guard let job: SubmittedJob = read(jobPath(id)) else { return nil }
        let process = JournalLock.holder(path: lockPath(id))
        let log = tail(of: logPath(id))
        let (progress, message) = Self.last(of: log)
        return SubmittedEntry(
            job: job, process: process, result: read(resultPath(id)), progress: progress, message: message,
            lease: isShared ? lease(id) : nil, systems: JobSystems(log: log))
    }

    /// The one job whose ID begins with `prefix`; nil if there is none or there are several.
    func entry(prefix: String) -> SubmittedEntry? {
        let found = entries().filter { $0.job.id.hasPrefix(prefix.lowercased()) }
        return found.count == 1 ? found[0] : nil
    }

    /// Takes the exclusive right to run a job.
    /// - Throws: ``JournalError`` if another process has it.
    func lock(_ id: String) throws(JournalError) -> JournalLock { try JournalLock(path: lockPath(id)) }

    /// Writes a job so that it is whole after a crash as well.
    func write(_ job: SubmittedJob) throws {
        try FileManager.default.createDirectory(
            atPath: folder(job.id), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try write(job, to: jobPath(job.id))
    }

    func write(_ result: SubmittedJob.Result, of id: String) throws { try write(result, to: resultPath(id)) }

    /// Removes the result, so that the job may run again.
    func removeResult(of id: String) { unlink(resultPath(id)) }

    func remove(_ id: String) throws { try FileManager.default.removeItem(atPath: folder(id)) }

    func write(_ value: some Encodable, to path: String) throws {
        let text = try JSONOutput.line(value)
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.output, temporary, errno: errno) }
        defer { close(descriptor) }
        let handle = FileHandle(fileDescriptor: descriptor)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.synchronize()
        guard rename(temporary, path) == 0 else { throw CommandError(.output, path, errno: errno) }
    }

    func read<Value: Decodable>(_ path: String) -> Value? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    /// The end of a log: enough for the last event.
    private func tail(of path: String) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? handle.close() }
        let size = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: size > 65_536 ? size - 65_536 : 0)
        return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// The last event of a log, and the last line that is none.
    static func last(of log: String) -> (JobProgress?, String?) {
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
