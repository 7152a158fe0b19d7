internal import Foundation

/// A journal on disk, with the record of a job and the results of its tasks. Must be used by one thread at a time.
package final class JournalFile {
    package let database: SQLiteDatabase
    private let insertion: SQLiteStatement
    private let selection: SQLiteStatement
    private let deletion: SQLiteStatement
    package private(set) var record: JobRecord
    /// Whether the record was changed since it was last written.
    private var isChanged = false
    /// Whether nothing is synced, since the file has only the record of a job that ends.
    private let isOnlyRecord: Bool
    /// Keys of the tasks whose results are stored.
    package private(set) var keys: Set<TaskKey>

    // "SKYF" identifies the application; the version is that of the tables.
    private static let application = 0x534b_5946
    private static let version = JobIdentity.format

    /// Opens the journal at `path`.
    /// - Parameters:
    ///   - path: path of the file.
    ///   - record: record of the job, which is written if the file is missing or empty. If nil, the file must exist and
    ///     is opened for reading only.
    ///   - isOnlyRecord: whether the file is created only for the record of a job that has ended. Such a file is not
    ///     synced, since a power failure can damage no more than an entry in the list of jobs.
    /// - Throws: ``JournalError``, with `damaged` if the file is corrupt or not a journal of this version.
    package init(path: String, new record: JobRecord?, isOnlyRecord: Bool = false) throws(JournalError) {
        database = try SQLiteDatabase(path: path, creates: record != nil)
        if let record {
            // Large pages, since results are long. Deleted data need not be overwritten, which is the default in
            // Debian's build. A power failure may undo the record of a new journal, but does not damage it.
            try database.execute(
                "PRAGMA page_size = 32768; PRAGMA synchronous = \(isOnlyRecord ? "OFF" : "NORMAL"); "
                    + "PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF;")
            if try Self.isEmpty(database) { try Self.create(record, in: database) }
        }
        try Self.check(database, isComplete: record != nil)
        self.isOnlyRecord = isOnlyRecord
        self.record = try Self.record(in: database)
        keys = try Self.keys(in: database)
        insertion = try database.prepare("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)")
        selection = try database.prepare(
            "SELECT checksum, output FROM result WHERE step = ? AND basis = ? AND window = ?")
        deletion = try database.prepare("DELETE FROM result WHERE step = ? AND basis = ? AND window = ?")
    }

    /// Writes results, and the record if it was changed. They are durable when this function returns.
    package func insert(_ results: [(key: TaskKey, output: [UInt8])]) throws(JournalError) {
        try sync()
        try database.transaction { () throws(JournalError) in
            if isChanged { try Self.write(record, to: database) }
            for (key, output) in results {
                let checksum = output.withUnsafeBytes { Checksum.of($0) }
                try insertion.bind(
                    .text(key.step.rawValue), .integer(Int64(bitPattern: key.basis)),
                    .integer(Int64(bitPattern: key.window)), .integer(Int64(bitPattern: checksum)), .bytes(output))
                _ = try insertion.step()
            }
            insertion.reset()
        }
        isChanged = false
        keys.formUnion(results.map(\.key))
    }

    /// Has the write-ahead log synced at every commit, so that commits survive a power failure.
    func sync() throws(JournalError) { if !isOnlyRecord { try database.execute("PRAGMA synchronous = FULL") } }

    /// Returns the encoded output of a task, or nil if there is none or its checksum does not match.
    package func output(of key: TaskKey) throws(JournalError) -> [UInt8]? {
        try selection.bind(
            .text(key.step.rawValue), .integer(Int64(bitPattern: key.basis)), .integer(Int64(bitPattern: key.window)))
        defer { selection.reset() }
        guard try selection.step() else { return nil }
        let output = selection.bytes(1)
        let checksum = output.withUnsafeBytes { Checksum.of($0) }
        return UInt64(bitPattern: selection.integer(0)) == checksum ? output : nil
    }

    /// Changes the record, which is written with the next results.
    package func change(_ change: (inout JobRecord) -> Void) {
        change(&record)
        isChanged = true
    }

    /// Writes the record, and deletes the results unless they are kept. A power failure may undo this, which restores
    /// the previous state of the job.
    package func finish(keepsResults: Bool) throws(JournalError) {
        if !isOnlyRecord { try database.execute("PRAGMA synchronous = NORMAL") }
        try database.transaction { () throws(JournalError) in
            try Self.write(record, to: database)
            if !keepsResults { try database.execute("DELETE FROM result") }
        }
        isChanged = false
        // A journal without results has few free pages, if any.
        if !keepsResults, try Self.number("PRAGMA freelist_count", in: database) > 1 { try freeSpace() }
    }

    /// Deletes the results of these tasks. Their space is reused for other results.
    package func remove(_ keys: Set<TaskKey>) throws(JournalError) {
        for key in keys.intersection(self.keys) {
            try deletion.bind(
                .text(key.step.rawValue), .integer(Int64(bitPattern: key.basis)),
                .integer(Int64(bitPattern: key.window)))
            _ = try deletion.step()
            deletion.reset()
        }
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
        try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
    }

    private static func isEmpty(_ database: SQLiteDatabase) throws(JournalError) -> Bool {
        try number("SELECT count(*) FROM sqlite_master", in: database) == 0
    }

    private static func create(_ record: JobRecord, in database: SQLiteDatabase) throws(JournalError) {
        // In one transaction, so that a process that is killed here leaves an empty database.
        try database.transaction { () throws(JournalError) in
            try database.execute(
                """
                PRAGMA application_id = \(application);
                PRAGMA user_version = \(version);
                CREATE TABLE record (id INTEGER PRIMARY KEY CHECK (id = 0), json TEXT NOT NULL);
                CREATE TABLE result (
                    step TEXT NOT NULL, basis INTEGER NOT NULL, window INTEGER NOT NULL,
                    checksum INTEGER NOT NULL, output BLOB NOT NULL, PRIMARY KEY (step, basis, window));
                CREATE TABLE file (name TEXT PRIMARY KEY, coded BLOB NOT NULL);
                """)
            try write(record, to: database)
        }
    }

    /// Checks that the database is a journal and, if `isComplete` is true, that every page can be read.
    private static func check(_ database: SQLiteDatabase, isComplete: Bool) throws(JournalError) {
        guard try number("PRAGMA application_id", in: database) == Int64(application) else {
            throw damaged(database, "it is not a journal of skyfarm")
        }
        guard try number("PRAGMA user_version", in: database) == Int64(version) else {
            throw damaged(
                database,
                "another version of skyfarm has written it; run the command again to start over, and remove it by "
                    + "`skyfarm jobs remove`")
        }
        guard isComplete else { return }
        let statement = try database.prepare("PRAGMA quick_check(1)")
        guard try statement.step(), statement.text(0) == "ok" else {
            throw damaged(database, statement.text(0))
        }
    }

    private static func record(in database: SQLiteDatabase) throws(JournalError) -> JobRecord {
        let statement = try database.prepare("SELECT json FROM record")
        guard try statement.step() else { throw damaged(database, "its record is missing") }
        do {
            return try JSONDecoder().decode(JobRecord.self, from: Data(statement.text(0).utf8))
        } catch {
            throw damaged(database, "its record cannot be read: \(error.localizedDescription)")
        }
    }

    private static func write(_ record: JobRecord, to database: SQLiteDatabase) throws(JournalError) {
        let statement = try database.prepare("INSERT OR REPLACE INTO record VALUES (0, ?)")
        let text: String
        do {
            text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        } catch {
            throw damaged(database, "its record cannot be coded: \(error.localizedDescription)")
        }
        try statement.bind(.text(text))
        _ = try statement.step()
    }

    private static func keys(in database: SQLiteDatabase) throws(JournalError) -> Set<TaskKey> {
        let statement = try database.prepare("SELECT step, basis, window FROM result")
        var keys: Set<TaskKey> = []
        while try statement.step() {
            // Results of steps that are unknown to this version are ignored.
            guard let step = ScanStep(rawValue: statement.text(0)) else { continue }
            keys.insert(
                TaskKey(
                    step: step, basis: UInt64(bitPattern: statement.integer(1)),
                    window: UInt64(bitPattern: statement.integer(2))))
        }
        return keys
    }

    package static func number(_ sql: String, in database: SQLiteDatabase) throws(JournalError) -> Int64 {
        let statement = try database.prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    package static func damaged(_ database: SQLiteDatabase, _ cause: String) -> JournalError {
        JournalError(.damaged, "\(database.path): \(cause)")
    }
}
