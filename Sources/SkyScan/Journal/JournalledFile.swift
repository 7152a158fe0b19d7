internal import Foundation
internal import ScanBasics
internal import ScanNetwork

/// What the journal knows about a file of a job of many images.
public struct JournalledFile: Codable, Equatable, Sendable {
    /// The file's name, with its HDU, as the job names it.
    public var name: String
    /// The file, its mask and its weight map, as they were before they were read.
    public var inputs: [FileStamp]
    /// The catalogues; without stamps while they are being written.
    public var catalogues: [Catalogue]
    /// Whether every image was scanned, and no sector is missing.
    public var isComplete: Bool
    /// What the program reports about the file, coded by it.
    public var report: [UInt8]

    /// A catalogue of the file.
    public struct Catalogue: Codable, Equatable, Sendable {
        /// Its absolute name.
        public var path: String
        /// The file as it was written; nil while it is being written.
        public var stamp: FileStamp?

        /// A catalogue that is about to be written.
        public init(path: String) { self.path = path }

        /// The catalogue at `path`, as it is now.
        public init(written path: String) { (self.path, stamp) = (path, FileStamp(path)) }

        /// Whether the job wrote the file, or was about to write it when it was killed, and may replace it.
        public var isReplaceable: Bool { stamp == nil || isUnchanged }

        /// Whether the file is as it was written.
        public var isUnchanged: Bool { stamp != nil && FileStamp(path) == stamp }
    }

    /// A file of the job.
    public init(
        name: String, inputs: [FileStamp], catalogues: [Catalogue], isComplete: Bool = false, report: [UInt8] = []
    ) {
        self.name = name
        self.inputs = inputs
        self.catalogues = catalogues
        self.isComplete = isComplete
        self.report = report
    }

    /// Whether the file need not be scanned again: it has not changed since, and its catalogues are there.
    public var isDone: Bool {
        isComplete && inputs.allSatisfy { FileStamp($0.path) == $0 } && catalogues.allSatisfy(\.isUnchanged)
    }

    /// The catalogues that the job wrote, or was about to write when it was killed, and may replace.
    public var replaceable: [String] {
        catalogues.filter(\.isReplaceable).map(\.path)
    }
}

extension JournalFile {
    /// Prepares for records of files, each of which is durable when it is written.
    func prepareFiles() throws(JournalError) {
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, coded BLOB NOT NULL);
            """)
    }

    /// Writes what is known about a file of the job, and removes the results of these tasks; durable when this returns. After
    /// ``prepareFiles()``.
    package func write(_ file: JournalledFile, removing keys: Set<TaskKey> = []) throws(JournalError) {
        guard !keys.isEmpty else { return try insert(file) }
        try database.transaction { () throws(JournalError) in
            try insert(file)
            try remove(keys)
        }
    }

    private func insert(_ file: JournalledFile) throws(JournalError) {
        let coded: [UInt8]
        do {
            coded = try WireEncoder().encode(file)
        } catch {
            throw Self.damaged(database, "the record of \(file.name) cannot be coded: \(error)")
        }
        let statement = try database.prepare("INSERT OR REPLACE INTO file VALUES (?, ?)")
        try statement.bind(.text(file.name), .bytes(coded))
        _ = try statement.step()
    }

    /// The files of a job of many images of which something is known.
    package func files() throws(JournalError) -> [JournalledFile] {
        guard try Self.number("SELECT count(*) FROM sqlite_master WHERE name = 'file'", in: database) > 0 else {
            return []
        }
        let statement = try database.prepare("SELECT coded FROM file")
        var files: [JournalledFile] = []
        let decoder = WireDecoder()
        while try statement.step() { files.append(try file(of: statement, decoder)) }
        return files
    }

    /// What is known about a file of a job of many images; nil if nothing is. After ``prepareFiles()``.
    package func file(_ name: String) throws(JournalError) -> JournalledFile? {
        let statement = try database.prepare("SELECT coded FROM file WHERE name = ?")
        try statement.bind(.text(name))
        return try statement.step() ? try file(of: statement, WireDecoder()) : nil
    }

    private func file(
        of statement: SQLiteStatement, _ decoder: WireDecoder
    ) throws(JournalError) -> JournalledFile {
        do {
            return try decoder.decode(JournalledFile.self, from: statement.bytes(0))
        } catch {
            throw Self.damaged(database, "the record of a file cannot be read: \(error)")
        }
    }
}
