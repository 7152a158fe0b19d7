internal import Foundation
package import TaskJournal

/// A journal on disk, with the record of a job and the results of its tasks, in a ``ResultStore`` with a table of files.
/// Must be used by one thread at a time.
package final class JournalFile {
    let store: ResultStore
    package private(set) var record: JobRecord
    /// Whether the record was changed since it was last written.
    private var isChanged = false
    /// Keys of the tasks whose results are stored.
    package private(set) var keys: Set<TaskKey>

    // "SKYF" identifies the application; the version is that of the tables. Large pages, since results are long.
    private static let form = ResultStore.Form(
        application: 0x534b_5946, version: JobIdentity.format, pageSize: 32768,
        tables: "CREATE TABLE file (name TEXT PRIMARY KEY, coded BLOB NOT NULL);",
        texts: (
            foreign: "it is not a journal of skyfarm",
            otherVersion: "another version of skyfarm has written it; run the command again to start over, and remove "
                + "it by `skyfarm jobs remove`"
        ),
        remedies: .command)

    package var database: SQLiteDatabase { store.database }

    /// Opens the journal at `path`.
    /// - Parameters:
    ///   - path: path of the file.
    ///   - record: record of the job, which is written if the file is missing or empty. If nil, the file must exist and
    ///     is opened for reading only.
    ///   - isOnlyRecord: whether the file is created only for the record of a job that has ended. Such a file is not
    ///     synced, since a power failure can damage no more than an entry in the list of jobs.
    /// - Throws: ``JournalError``, with `damaged` if the file is corrupt or not a journal of this version.
    package init(path: String, new record: JobRecord?, isOnlyRecord: Bool = false) throws(JournalError) {
        if let record {
            store = try ResultStore(path: path, form: Self.form, isUnsynced: isOnlyRecord) {
                () throws(JournalError) in try Self.coded(record, for: path)
            }
        } else {
            store = try ResultStore(path: path, form: Self.form, new: nil)
        }
        let json = try store.record()
        do {
            self.record = try JSONDecoder().decode(JobRecord.self, from: Data(json.utf8))
        } catch {
            throw store.damaged("its record cannot be read: \(error.localizedDescription)")
        }
        // Results of steps that are unknown to this version are ignored.
        keys = Set(try store.keys().compactMap(TaskKey.init))
    }

    private static func coded(_ record: JobRecord, for path: String) throws(JournalError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        } catch {
            throw JournalError(.damaged, "\(path): its record cannot be coded: \(error.localizedDescription)")
        }
    }

    private var codedRecord: String {
        get throws(JournalError) { try Self.coded(record, for: database.path) }
    }

    /// Writes results, and the record if it was changed. They are durable when this function returns.
    package func insert(_ results: [(key: TaskKey, output: [UInt8])]) throws(JournalError) {
        try store.insert(results.map { ($0.key.stored, $0.output) }, record: isChanged ? try codedRecord : nil)
        isChanged = false
        keys.formUnion(results.map(\.key))
    }

    /// Returns the encoded output of a task, or nil if there is none or its checksum does not match.
    package func output(of key: TaskKey) throws(JournalError) -> [UInt8]? { try store.output(of: key.stored) }

    /// Changes the record, which is written with the next results.
    package func change(_ change: (inout JobRecord) -> Void) {
        change(&record)
        isChanged = true
    }

    /// Writes the record, and deletes the results unless they are kept. A power failure may undo this, which restores
    /// the previous state of the job.
    package func finish(keepsResults: Bool) throws(JournalError) {
        try store.finish(record: try codedRecord, keepsResults: keepsResults)
        isChanged = false
        if !keepsResults { keys = [] }
    }

    /// Deletes the results of these tasks. Their space is reused for other results.
    package func remove(_ keys: Set<TaskKey>) throws(JournalError) {
        try store.remove(keys.intersection(self.keys).map(\.stored))
        self.keys.subtract(keys)
    }

    /// Deletes all results of tasks, and frees their space.
    func removeTasks() throws(JournalError) {
        try database.execute("DELETE FROM result")
        try freeSpace()
    }

    /// Deletes the records of all files and all results, and frees their space.
    func removeResults() throws(JournalError) {
        try database.execute("DELETE FROM result; DELETE FROM file")
        try freeSpace()
    }

    private func freeSpace() throws(JournalError) {
        keys = []
        try store.freeSpace()
    }
}

extension TaskKey {
    /// The key of the result in the file.
    var stored: ResultKey { ResultKey(kind: step.rawValue, basis: basis, part: window) }

    /// The task of a result, or nil if its step is unknown.
    init?(_ stored: ResultKey) {
        guard let step = ScanStep(rawValue: stored.kind) else { return nil }
        self.init(step: step, basis: stored.basis, window: stored.part)
    }
}

extension JournalRemedies {
    /// Those of the commands of the program.
    package static let command = JournalRemedies(
        again: "start the same command again",
        unwritable: "set XDG_STATE_HOME to a folder that this user may change, or add --no-journal",
        damaged: "start the same command again with --fresh")
}
