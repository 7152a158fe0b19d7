internal import CSQLite
internal import Foundation

/// A connection to an SQLite database. Must be used by one thread at a time.
package final class SQLiteDatabase {
    package let path: String
    private let remedies: JournalRemedies
    private var handle: OpaquePointer?

    /// Opens the database at `path`, and creates a missing file if `creates` is true.
    package init(path: String, creates: Bool, remedies: JournalRemedies = .library) throws(JournalError) {
        (self.path, self.remedies) = (path, remedies)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creates ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            // The handle holds details of the error, and must be closed even in this case.
            defer { sqlite3_close_v2(handle) }
            throw failure(code)
        }
        sqlite3_busy_timeout(handle, 2000)
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Executes statements without reading results.
    package func execute(_ sql: String) throws(JournalError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Returns the first number of the first row of a statement, or 0 if there is no row.
    package func number(_ sql: String) throws(JournalError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Compiles a statement, which must not outlive the connection.
    package func prepare(_ sql: String) throws(JournalError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return SQLiteStatement(statement, of: self)
    }

    /// Runs `body` in a transaction, which is committed and durable when this function returns, and rolled back when it
    /// throws.
    package func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        try execute("BEGIN IMMEDIATE")
        do throws(JournalError) {
            try body()
            try execute("COMMIT")
        } catch {
            // Some errors roll back automatically; a second rollback fails harmlessly.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Returns the error for a result code of SQLite, with a message of one line.
    package func failure(_ code: Int32) -> JournalError {
        let system = handle.map(sqlite3_system_errno) ?? 0
        let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch (code & 0xff, system) {
        case (SQLITE_FULL, _), (_, ENOSPC), (_, EDQUOT), (_, EFBIG):
            return JournalError(
                .noSpace,
                "\(path): no space left for the journal; free some room and \(remedies.again): it continues from the "
                    + "finished tasks")
        case (SQLITE_NOTADB, _), (SQLITE_CORRUPT, _):
            return JournalError(
                .damaged, "\(path): the journal is damaged (\(words)); \(remedies.damaged)")
        case (SQLITE_BUSY, _), (SQLITE_LOCKED, _):
            return JournalError(.inUse, "\(path): another program uses the journal; try again when it has ended")
        default:
            let cause = system == 0 ? words : String(cString: strerror(system)).lowercased()
            return JournalError(
                .unwritable,
                "\(path): the journal cannot be written (\(cause)); \(remedies.unwritable)")
        }
    }
}

/// A compiled statement of a database.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    fileprivate init(_ handle: OpaquePointer, of database: SQLiteDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    /// Resets the statement and binds `values` in their order.
    package func bind(_ values: SQLiteValue...) throws(JournalError) {
        sqlite3_reset(handle)
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code =
                switch value {
                case .integer(let integer): sqlite3_bind_int64(handle, place, integer)
                case .text(let text): sqlite3_bind_text(handle, place, text, -1, Self.copies)
                case .bytes(let bytes):
                    bytes.withUnsafeBytes {
                        sqlite3_bind_blob64(handle, place, $0.baseAddress, UInt64($0.count), Self.copies)
                    }
                }
            guard code == SQLITE_OK else { throw database.failure(code) }
        }
    }

    /// Steps to the next row.
    /// - Returns: False after the last row.
    package func step() throws(JournalError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = database.failure(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Ends the reading of rows, since an unfinished read would block writers.
    package func reset() { sqlite3_reset(handle) }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    package func text(_ column: Int32) -> String {
        sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
    }

    package func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(handle, column)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    // SQLITE_TRANSIENT, which is a macro that Swift does not import.
    private static var copies: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// A value that is bound to a statement.
package enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}
