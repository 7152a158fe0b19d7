/// Identity of a result in a journal.
package struct ResultKey: Hashable, Sendable {
    /// Kind of the task, such as its name on the wire.
    package var kind: String
    /// Checksum of what the result depends on, or of the task's identity.
    package var basis: UInt64
    /// Part of the work, or checksum of the whole task.
    package var part: UInt64

    /// Creates a key.
    package init(kind: String, basis: UInt64, part: UInt64) {
        (self.kind, self.basis, self.part) = (kind, basis, part)
    }
}

/// Results of tasks on disk, each with its checksum, and one record in JSON about all of them. Must be used by one thread
/// at a time.
///
/// The file is an SQLite database with a write-ahead log. A commit is synced before it returns. After a crash or a power
/// failure the database has all commits that returned, and of the last one either all results or none.
package final class ResultStore {
    /// Properties by which a journal's file is told from others, and its tables.
    package struct Form: Sendable {
        /// SQLite's `application_id`.
        package var application: Int
        /// Version of the tables.
        package var version: Int
        /// SQL that creates the tables beside those of record and results.
        package var tables: String
        /// Size of a page in bytes: large for long results.
        package var pageSize: Int
        /// Error text for the file of another application.
        package var foreign: String
        /// Error text for a file of another version.
        package var otherVersion: String
        /// Texts of other errors.
        package var remedies: JournalRemedies

        /// Creates the properties of a kind of journal.
        package init(
            application: Int, version: Int, pageSize: Int, tables: String = "",
            texts: (foreign: String, otherVersion: String), remedies: JournalRemedies
        ) {
            (self.application, self.version, self.tables, self.pageSize) = (application, version, tables, pageSize)
            (foreign, otherVersion) = texts
            self.remedies = remedies
        }
    }

    /// The database, for tables of the form.
    package let database: SQLiteDatabase
    private let form: Form
    private let insertion: SQLiteStatement
    private let selection: SQLiteStatement
    private let deletion: SQLiteStatement
    /// Whether nothing is synced.
    private let isUnsynced: Bool

    /// Opens the journal at `path`.
    /// - Parameters:
    ///   - path: path of the file.
    ///   - form: properties of the file.
    ///   - isUnsynced: whether a power failure may damage the file.
    ///   - record: returns the record, which is written if the file is missing or empty. If nil, the file must exist and
    ///     is opened for reading only.
    /// - Throws: ``JournalError``, with `damaged` if the file is corrupt or not of this form.
    package init(
        path: String, form: Form, isUnsynced: Bool = false, new record: (() throws(JournalError) -> String)?
    ) throws(JournalError) {
        database = try SQLiteDatabase(path: path, creates: record != nil, remedies: form.remedies)
        (self.form, self.isUnsynced) = (form, isUnsynced)
        let isEmpty = try database.number("SELECT count(*) FROM sqlite_master") == 0
        // A database of another application is left as it is.
        if !isEmpty || record == nil { try Self.check(database, form) }
        if let record {
            // Deleted data need not be overwritten, which is the default in Debian's build. A power failure may undo the
            // record of a new journal, but does not damage it.
            try database.execute(
                "PRAGMA page_size = \(form.pageSize); PRAGMA synchronous = \(isUnsynced ? "OFF" : "NORMAL"); "
                    + "PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF;")
            if isEmpty { try Self.create(try record(), form, in: database) }
            try Self.checkPages(database)
        }
        insertion = try database.prepare("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?)")
        selection = try database.prepare(
            "SELECT checksum, output FROM result WHERE step = ? AND basis = ? AND window = ?")
        deletion = try database.prepare("DELETE FROM result WHERE step = ? AND basis = ? AND window = ?")
    }

    /// Writes results, and the record unless it is nil. They are durable when this function returns.
    package func insert(_ results: [(key: ResultKey, output: [UInt8])], record: String?) throws(JournalError) {
        try sync()
        try database.transaction { () throws(JournalError) in
            if let record { try Self.write(record, to: database) }
            for (key, output) in results {
                let checksum = output.withUnsafeBytes { Checksum.of($0) }
                try insertion.bind(
                    .text(key.kind), .integer(Int64(bitPattern: key.basis)), .integer(Int64(bitPattern: key.part)),
                    .integer(Int64(bitPattern: checksum)), .bytes(output))
                _ = try insertion.step()
            }
            insertion.reset()
        }
    }

    /// Has the write-ahead log synced at every commit, so that commits survive a power failure.
    package func sync() throws(JournalError) { if !isUnsynced { try database.execute("PRAGMA synchronous = FULL") } }

    /// Returns the encoded output of a task, or nil if there is none or its checksum does not match.
    package func output(of key: ResultKey) throws(JournalError) -> [UInt8]? {
        try selection.bind(
            .text(key.kind), .integer(Int64(bitPattern: key.basis)), .integer(Int64(bitPattern: key.part)))
        defer { selection.reset() }
        guard try selection.step() else { return nil }
        let output = selection.bytes(1)
        let checksum = output.withUnsafeBytes { Checksum.of($0) }
        return UInt64(bitPattern: selection.integer(0)) == checksum ? output : nil
    }

    /// Returns the keys of all results.
    package func keys() throws(JournalError) -> [ResultKey] {
        let statement = try database.prepare("SELECT step, basis, window FROM result")
        var keys: [ResultKey] = []
        while try statement.step() {
            keys.append(
                ResultKey(
                    kind: statement.text(0), basis: UInt64(bitPattern: statement.integer(1)),
                    part: UInt64(bitPattern: statement.integer(2))))
        }
        return keys
    }

    /// Returns the record.
    /// - Throws: ``JournalError`` with `damaged` if there is none.
    package func record() throws(JournalError) -> String {
        let statement = try database.prepare("SELECT json FROM record")
        guard try statement.step() else { throw damaged("its record is missing") }
        return statement.text(0)
    }

    /// Writes the record, and deletes the results unless they are kept. A power failure may undo this.
    package func finish(record: String, keepsResults: Bool) throws(JournalError) {
        if !isUnsynced { try database.execute("PRAGMA synchronous = NORMAL") }
        try database.transaction { () throws(JournalError) in
            try Self.write(record, to: database)
            if !keepsResults { try database.execute("DELETE FROM result") }
        }
        // A journal without results has few free pages, if any.
        if !keepsResults, try database.number("PRAGMA freelist_count") > 1 { try freeSpace() }
    }

    /// Deletes these results. Their space is reused for other results.
    package func remove(_ keys: some Sequence<ResultKey>) throws(JournalError) {
        for key in keys {
            try deletion.bind(
                .text(key.kind), .integer(Int64(bitPattern: key.basis)), .integer(Int64(bitPattern: key.part)))
            _ = try deletion.step()
            deletion.reset()
        }
    }

    /// Returns the space of deleted data to the file system.
    package func freeSpace() throws(JournalError) {
        try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
    }

    /// Returns the error of a file that cannot be used, for this cause.
    package func damaged(_ cause: String) -> JournalError { Self.damaged(database, cause) }

    // MARK: Tables

    private static func create(_ record: String, _ form: Form, in database: SQLiteDatabase) throws(JournalError) {
        // In one transaction, so that a process that is killed here leaves an empty database.
        try database.transaction { () throws(JournalError) in
            try database.execute(
                """
                PRAGMA application_id = \(form.application);
                PRAGMA user_version = \(form.version);
                CREATE TABLE record (id INTEGER PRIMARY KEY CHECK (id = 0), json TEXT NOT NULL);
                CREATE TABLE result (
                    step TEXT NOT NULL, basis INTEGER NOT NULL, window INTEGER NOT NULL,
                    checksum INTEGER NOT NULL, output BLOB NOT NULL, PRIMARY KEY (step, basis, window));
                \(form.tables)
                """)
            try write(record, to: database)
        }
    }

    private static func check(_ database: SQLiteDatabase, _ form: Form) throws(JournalError) {
        guard try database.number("PRAGMA application_id") == Int64(form.application) else {
            throw damaged(database, form.foreign)
        }
        guard try database.number("PRAGMA user_version") == Int64(form.version) else {
            throw damaged(database, form.otherVersion)
        }
    }

    /// Checks that every page can be read.
    private static func checkPages(_ database: SQLiteDatabase) throws(JournalError) {
        let statement = try database.prepare("PRAGMA quick_check(1)")
        guard try statement.step(), statement.text(0) == "ok" else { throw damaged(database, statement.text(0)) }
    }

    private static func write(_ record: String, to database: SQLiteDatabase) throws(JournalError) {
        let statement = try database.prepare("INSERT OR REPLACE INTO record VALUES (0, ?)")
        try statement.bind(.text(record))
        _ = try statement.step()
    }

    private static func damaged(_ database: SQLiteDatabase, _ cause: String) -> JournalError {
        JournalError(.damaged, "\(database.path): \(cause)")
    }
}
