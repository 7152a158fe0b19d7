public import ScanBasics

internal import Foundation
internal import ScanCluster

/// The folder of a user's journals, one file per job.
public struct JournalFolder: Equatable, Sendable {
    /// The folder.
    public let path: String

    /// The folder at `path`, which need not exist.
    public init(path: String) { self.path = path }

    /// `$XDG_STATE_HOME/skyfarm`, or the same below `~/.local/state`.
    /// - Throws: ``JournalError`` with `unwritable` if the environment defines neither, or the folder is not this user's.
    public init(environment: [String: String]) throws(JournalError) {
        guard let path = UserFolder.state.path(environment) else {
            throw JournalError(
                .unwritable, "neither HOME nor XDG_STATE_HOME is set; set one, or add --no-journal")
        }
        self.path = path
        try check()
    }

    /// An entry of the list of jobs.
    public struct Entry: Sendable {
        /// The job's ID.
        public var id: String
        /// The job's record; nil if its journal cannot be read.
        public var record: JobRecord?
        /// The process that is running the job, if any.
        public var process: Int?
        /// Number of tasks with results in the journal, by step.
        public var tasks: [ScanStep: Int]
        /// Number of files of a job of many images whose catalogues are complete.
        public var files = 0
        /// Why the journal cannot be read.
        public var trouble: String?
    }

    /// All jobs, the newest first; none if the folder does not exist. Blocks on the disk.
    /// - Throws: ``JournalError`` with `unwritable` if the folder cannot be read.
    public func entries() throws(JournalError) -> [Entry] {
        try ids().map { entry(id: $0) }
            .sorted { ($0.record?.began ?? 0, $1.id) > ($1.record?.began ?? 0, $0.id) }
    }

    /// The IDs of all jobs.
    package func ids() throws(JournalError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(Self.ending) }
                .map { String($0.dropLast(Self.ending.count)) }
        } catch {
            throw JournalError(.unwritable, "\(path): cannot be read: \(error.localizedDescription)")
        }
    }

    /// The one job whose ID begins with `prefix`. Blocks on the disk.
    /// - Throws: ``JournalError`` with `unknownJob`.
    public func entry(prefix: String) throws(JournalError) -> Entry {
        let found = try entries().filter { $0.id.hasPrefix(prefix.lowercased()) }
        guard found.count == 1, let entry = found.first else {
            throw JournalError(
                .unknownJob,
                found.isEmpty
                    ? "no job has the ID \(prefix); `skyfarm jobs` lists them"
                    : "\(found.count) jobs have IDs that begin with \(prefix); give more digits")
        }
        return entry
    }

    /// Absolute names of the outputs that the last run of a job was writing when it was killed, and that the next run may
    /// replace. Blocks on the disk.
    public func replaceable(by identity: JobIdentity) -> Set<String> {
        // Without a journal that can be read there is nothing to go on from.
        guard let record = (try? JournalFile(path: journalPath(identity.id), new: nil))?.record,
            record.identity == identity
        else { return [] }
        return Set((record.written ?? []).filter(\.isReplaceable).map(\.path))
    }

    /// Deletes a job's journal. Blocks on the disk.
    /// - Throws: ``JournalError``: `inUse` while a process is running the job, `unwritable`.
    public func remove(_ id: String) throws(JournalError) {
        let lock = try JournalLock(path: lockPath(id))
        // Not withExtendedLifetime, which does not rethrow this type of error.
        defer { withExtendedLifetime(lock) {} }
        try removeFiles(id)
    }

    private func entry(id: String) -> Entry {
        var entry = Entry(id: id, process: JournalLock.holder(path: lockPath(id)), tasks: [:])
        do throws(JournalError) {
            let file = try JournalFile(path: journalPath(id), new: nil)
            entry.record = file.record
            entry.files = try file.files().count { $0.isComplete }
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
        // Somebody else may have made it meanwhile.
        try check()
    }

    /// Refuses a folder that another user owns or can write to.
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
    /// - Returns: the new name.
    /// - Throws: ``JournalError`` with `unwritable`.
    func setAside(_ id: String) throws(JournalError) -> String {
        let taken = { FileManager.default.fileExists(atPath: $0) }
        let candidates = (1...).lazy.map { "\(journalPath(id)).damaged-\($0)" }
        let name = candidates.first { !taken($0) } ?? journalPath(id) + ".damaged"
        for suffix in Self.suffixes where rename(journalPath(id) + suffix, name + suffix) != 0 && errno != ENOENT {
            throw JournalError(.unwritable, "\(journalPath(id) + suffix): cannot be renamed: \(Self.cause)")
        }
        return name
    }

    // SQLite's write-ahead log and its index belong to the file.
    private static let suffixes = ["", "-wal", "-shm"]
}
