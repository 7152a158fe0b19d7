internal import Foundation
internal import ScanBasics
internal import ScanNetwork
package import TaskJournal

/// The record of a file in the journal of a job.
public struct JournalledFile: Codable, Equatable, Sendable {
    /// Name of the file with its HDU, as given to the job.
    public var name: String
    /// Stamps of the file, its mask and its weight map, taken before they were read.
    public var inputs: [FileStamp]
    /// Catalogues of the file, which have no stamps while they are being written.
    public var catalogues: [Catalogue]
    /// Whether every image of the file was scanned and no sector is missing.
    public var isComplete: Bool
    /// Report about the file, encoded by the program.
    public var report: [UInt8]

    /// A catalogue of the file.
    public struct Catalogue: Codable, Equatable, Sendable {
        /// Absolute path of the catalogue.
        public var path: String
        /// Stamp of the catalogue after it was written, or nil while it is being written.
        public var stamp: FileStamp?

        /// Creates the record of a catalogue that is about to be written.
        public init(path: String) { self.path = path }

        /// Creates the record of the catalogue at `path` in its current state.
        public init(written path: String) { (self.path, stamp) = (path, FileStamp(path)) }

        /// Whether the job may replace the file, since it wrote it or was about to write it when it was killed.
        public var isReplaceable: Bool { stamp == nil || isUnchanged }

        /// Whether the file is unchanged since it was written.
        public var isUnchanged: Bool { stamp != nil && FileStamp(path) == stamp }
    }

    /// Creates the record of a file of the job.
    public init(
        name: String, inputs: [FileStamp], catalogues: [Catalogue], isComplete: Bool = false, report: [UInt8] = []
    ) {
        self.name = name
        self.inputs = inputs
        self.catalogues = catalogues
        self.isComplete = isComplete
        self.report = report
    }

    /// Whether the file need not be scanned again, since it is unchanged and its catalogues exist.
    public var isDone: Bool {
        isComplete && inputs.allSatisfy { FileStamp($0.path) == $0 } && catalogues.allSatisfy(\.isUnchanged)
    }

    /// Paths of catalogues that the job may replace, since it wrote them or was about to write them when it was killed.
    public var replaceable: [String] {
        catalogues.filter(\.isReplaceable).map(\.path)
    }

    /// Catalogues that the job may replace and that exist, as they are now. A file that later takes the place of one of
    /// them, or of one that was never written, may not be replaced.
    package var remaining: [Catalogue] {
        replaceable.map { Catalogue(written: $0) }.filter { $0.stamp != nil }
    }
}

extension JournalFile {
    /// Writes the record of a file, and removes the results of these tasks. Both are durable when this function
    /// returns.
    package func write(_ file: JournalledFile, removing keys: Set<TaskKey> = []) throws(JournalError) {
        try store.sync()
        guard !keys.isEmpty else { return try insert(file) }
        try database.transaction { () throws(JournalError) in
            try insert(file)
            try remove(keys)
        }
    }

    /// Writes the records of several files at once, which costs one wait for the disk. They are durable when this
    /// function returns.
    package func write(_ files: [JournalledFile]) throws(JournalError) {
        try store.sync()
        try database.transaction { () throws(JournalError) in
            for file in files { try insert(file) }
        }
    }

    private func insert(_ file: JournalledFile) throws(JournalError) {
        let coded: [UInt8]
        do {
            coded = try WireEncoder().encode(file)
        } catch {
            throw store.damaged("the record of \(file.name) cannot be coded: \(error)")
        }
        let statement = try database.prepare("INSERT OR REPLACE INTO file VALUES (?, ?)")
        try statement.bind(.text(file.name), .bytes(coded))
        _ = try statement.step()
    }

    /// Returns the records of all files.
    package func files() throws(JournalError) -> [JournalledFile] {
        let statement = try database.prepare("SELECT coded FROM file")
        var files: [JournalledFile] = []
        let decoder = WireDecoder()
        while try statement.step() { files.append(try file(of: statement, decoder)) }
        return files
    }

    /// Returns the record of a file, or nil if there is none.
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
            throw store.damaged("the record of a file cannot be read: \(error)")
        }
    }
}
