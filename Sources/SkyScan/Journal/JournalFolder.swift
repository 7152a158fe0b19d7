public import ScanBasics

internal import Foundation
internal import ScanCluster
public import TaskJournal

/// The folder of a user's journals, which has one file per job.
public struct JournalFolder: Equatable, Sendable {
    /// Path of the folder.
    public let path: String

    /// Uses the folder at `path`, which need not exist.
    public init(path: String) { self.path = path }

    /// Uses `$XDG_STATE_HOME/skyfarm`, or `~/.local/state/skyfarm` if that variable is not set.
    /// - Throws: `JournalError` with `unwritable` if the environment defines neither, or the folder belongs to
    ///   another user.
    public init(environment: [String: String]) throws(JournalError) {
        guard let path = UserFolder.state.path(environment) else {
            throw JournalError(
                .unwritable, "neither HOME nor XDG_STATE_HOME is set; set one, or add --no-journal")
        }
        self.path = path
        try check()
    }

    /// A job in the list of jobs.
    public struct Entry: Sendable {
        /// The job's ID, which is part of the journal's file name.
        public var id: String
        /// Record of the job, or nil if its journal cannot be read.
        public var record: JobRecord?
        /// ID of the process that runs the job, or nil if none does.
        public var process: Int?
        /// Number of tasks with results in the journal, by step.
        public var tasks: [ScanStep: Int]
        /// Files whose catalogues are complete, or that are left out.
        public var complete: [JournalledFile] = []
        /// Number of these files.
        public var files: Int { complete.count }
        /// Files that could not be scanned, or not completely, by name.
        public var failed: [JournalledFile] = []
        /// Reason why the journal cannot be read.
        public var trouble: String?
    }

    /// Returns all jobs, newest first, or none if the folder does not exist. Blocks on disk access.
    /// - Throws: `JournalError` with `unwritable` if the folder cannot be read.
    public func entries() throws(JournalError) -> [Entry] {
        try ids().map { entry(id: $0) }
            .sorted { ($0.record?.began ?? 0, $1.id) > ($1.record?.began ?? 0, $0.id) }
    }

    /// Returns the IDs of all jobs.
    package func ids() throws(JournalError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(Self.ending) }
                .map { String($0.dropLast(Self.ending.count)) }
        } catch {
            throw JournalError(.unwritable, "\(path): cannot be read: \(error.localizedDescription)")
        }
    }

    /// Returns the job whose ID begins with `prefix`. Blocks on disk access.
    /// - Throws: `JournalError` with `unknownJob` if there is none or several.
    public func entry(prefix: String) throws(JournalError) -> Entry {
        // Only the journal of the job is read.
        let found = try ids().filter { $0.hasPrefix(prefix.lowercased()) }
        guard found.count == 1, let id = found.first else {
            throw JournalError(
                .unknownJob,
                found.isEmpty
                    ? "no job has the ID \(prefix); `skyfarm jobs` lists them"
                    : "\(found.count) jobs have IDs that begin with \(prefix); give more digits")
        }
        return entry(id: id)
    }

    /// Returns the job that was submitted under this ID, or nil if it has no readable journal. Blocks on disk access.
    public func entry(submission: String) -> Entry? {
        (try? entries())?.first { $0.record?.submission == submission }
    }

    /// Deletes the journal of a job. Blocks on disk access.
    /// - Throws: `JournalError` with `inUse` while a process runs the job, or with `unwritable`.
    public func remove(_ id: String) throws(JournalError) {
        let lock = try JournalLock(path: lockPath(id), remedies: .command)
        // withExtendedLifetime is not used around the call, since it does not rethrow errors of this type.
        defer { withExtendedLifetime(lock) {} }
        try removeFiles(id)
    }

    /// Deletes all readable journals of the job that was submitted under this ID. Blocks on disk access.
    /// - Throws: ``JournalError`` with `inUse` while a process runs the job, or with `unwritable`.
    package func remove(submission: String) throws(JournalError) {
        for entry in (try? entries()) ?? [] where entry.record?.submission == submission { try remove(entry.id) }
    }

    private func entry(id: String) -> Entry {
        var entry = Entry(id: id, process: JournalLock.holder(path: lockPath(id)), tasks: [:])
        do throws(JournalError) {
            let file = try JournalFile(path: journalPath(id), new: nil)
            entry.record = file.record
            let files = try file.files()
            entry.complete = files.filter(\.isComplete)
            entry.failed = files.filter { !$0.isComplete && !$0.report.isEmpty }.sorted { $0.name < $1.name }
            entry.tasks = file.keys.reduce(into: [:]) { $0[$1.step, default: 0] += 1 }
        } catch {
            entry.trouble = error.message
        }
        return entry
    }

    // MARK: Files

    private static let ending = ".journal"

    package func journalPath(_ id: String) -> String { "\(path)/\(id)\(Self.ending)" }

    func lockPath(_ id: String) -> String { "\(path)/\(id).lock" }

    package func create() throws(JournalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw JournalError(
                .unwritable,
                "\(path): cannot be made (\(error.localizedDescription)); set XDG_STATE_HOME to a folder that this "
                    + "user may change, or add --no-journal")
        }
        // Another process may have created the folder meanwhile.
        try check()
    }

    /// Throws an error if another user owns the folder or can write to it.
    private func check() throws(JournalError) {
        if let distrust = UserFolder.distrust(path) { throw JournalError(.unwritable, distrust) }
    }

    func removeFiles(_ id: String) throws(JournalError) {
        for path in Self.suffixes.map({ journalPath(id) + $0 }) where unlink(path) != 0 && errno != ENOENT {
            throw JournalError(.unwritable, "\(path): cannot be removed: \(Self.cause)")
        }
    }

    private static var cause: String { String(cString: strerror(errno)).lowercased() }

    /// Renames the files of an unusable journal.
    /// - Returns: The new name.
    /// - Throws: ``JournalError`` with `unwritable` if a file cannot be renamed.
    func setAside(_ id: String) throws(JournalError) -> String {
        let taken = { FileManager.default.fileExists(atPath: $0) }
        let candidates = (1...).lazy.map { "\(journalPath(id)).damaged-\($0)" }
        let name = candidates.first { !taken($0) } ?? journalPath(id) + ".damaged"
        for suffix in Self.suffixes where rename(journalPath(id) + suffix, name + suffix) != 0 && errno != ENOENT {
            throw JournalError(.unwritable, "\(journalPath(id) + suffix): cannot be renamed: \(Self.cause)")
        }
        return name
    }

    // SQLite's write-ahead log and its index belong to the journal.
    private static let suffixes = ["", "-wal", "-shm"]
}
