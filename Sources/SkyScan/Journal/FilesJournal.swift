public import ScanBasics

internal import Foundation
internal import ScanCluster

/// The journal of a running job of many images: the files that are done, and their catalogues.
///
/// The journal is one file on disk, a ``JournalFile``, which is accessed on a separate thread. Per input file it
/// records the catalogues; the results of single tasks are in the ``ScanJournal`` that ``tasks(of:in:inputs:)`` returns
/// for each image, which shares the same file. After a restart, ``files()`` tells which files need not be scanned
/// again.
public final class FilesJournal: Sendable {
    /// The job's ID, see ``JobIdentity/id``.
    public let id: String
    /// Whether an earlier run recorded files.
    public let hasFiles: Bool
    private let knownMerged: Locked<JournalledFile.Catalogue?>
    private let executor = BlockingExecutor(label: "skyfarm.journal")
    private let opened: ScanJournal.Confined
    private let images: ImageJournals

    private init(
        _ opening: JournalOpening, hasFiles: Bool, merged: JournalledFile.Catalogue?,
        _ opened: ScanJournal.Confined, tasks: Set<TaskKey>
    ) {
        id = opening.id
        images = ImageJournals(opening: opening, opened: opened, stored: tasks)
        knownMerged = Locked(merged)
        self.hasFiles = hasFiles
        self.opened = opened
    }

    /// Returns the records of all files by this or an earlier run. They are read from disk, so that the watch of a
    /// folder does not use more memory with each file.
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func files() async throws -> [JournalledFile] {
        try await executor.run { [opened] in try opened.openFile?.files() ?? [] }
    }

    /// Returns the record of a file by this or an earlier run, or nil if there is none.
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func file(_ name: String) async throws -> JournalledFile? {
        try await executor.run { [opened] in try opened.openFile?.file(name) }
    }

    /// Opens the journal of a job of many images, or creates it.
    /// - Parameters:
    ///   - record: record of the job.
    ///   - folder: folder of all journals, which is created if it is missing.
    ///   - forgets: whether to delete everything that an earlier run left.
    ///   - forgetsFinished: whether to delete it if the earlier run finished every file.
    ///   - notice: receives messages for the user of one line each.
    /// - Returns: The journal, which this process locks until it is finished or deallocated.
    /// - Throws: ``JournalError`` with `inUse`, `noSpace`, `unwritable` or `damaged`.
    public static func open(
        _ record: JobRecord, in folder: JournalFolder, forgets: Bool, forgetsFinished: Bool,
        notice: @escaping @Sendable (String) -> Void
    ) async throws -> FilesJournal {
        try await BlockingExecutor(label: "skyfarm.journal").run {
            let opening = JournalOpening(record: record, folder: folder, forgets: forgets, notice: notice)
            try folder.create()
            let lock = try JournalLock(path: folder.lockPath(opening.id))
            let file = try opening.existing() ?? opening.make(isFinishing: false)
            var files = try file.files()
            let isDone = file.record.state == .finished && files.count { $0.isComplete } == record.files
            if forgetsFinished, isDone {
                try file.removeResults()
                files = []
                file.change { $0.merged = nil }
            }
            try file.prepareFiles()
            return FilesJournal(
                opening, hasFiles: !files.isEmpty, merged: file.record.merged,
                ScanJournal.Confined(lock: lock, opening: opening, file: file), tasks: file.keys)
        }
    }

    /// Writes the record of a file, which is durable when this function returns.
    /// - Throws: ``JournalError`` if the journal cannot be written.
    public func write(_ file: JournalledFile) async throws {
        try await executor.run { [opened] in try opened.openFile?.write(file) }
    }

    /// Returns the journal of the tasks of an image, with the results of an earlier run on the same files. The results
    /// are kept until the file is complete.
    /// - Parameters:
    ///   - image: name of the image, with its HDU.
    ///   - file: name of its file.
    ///   - inputs: stamps of the file, its mask and its weight map, taken before they were read.
    /// - Returns: A journal that shares the file of this one.
    /// - Throws: ``JournalError`` if the key of the image cannot be encoded.
    public func tasks(of image: String, in file: String, inputs: [FileStamp]) throws(JournalError) -> ScanJournal {
        try images.journal(of: image, in: file, inputs: inputs, executor: executor)
    }

    /// Records a file whose catalogues are written; the record is durable when this function returns. If the file is
    /// complete, the results of its tasks are deleted.
    /// - Throws: ``JournalError`` if the journal cannot be written.
    public func finish(_ file: JournalledFile) async throws {
        let keys = images.release(file.name)
        try await executor.run { [opened] in try opened.openFile?.write(file, removing: file.isComplete ? keys : []) }
    }

    /// Records that a file could not be scanned; the record is durable when this function returns. The results of its
    /// tasks are kept, and the outputs that an earlier run wrote stay known.
    /// - Parameters:
    ///   - name: name of the file.
    ///   - report: report about the file, encoded by the program.
    /// - Throws: ``JournalError`` if the journal cannot be written.
    public func fail(_ name: String, report: [UInt8]) async throws {
        _ = images.release(name)
        try await executor.run { [opened] in
            guard let journal = opened.openFile else { return }
            var file = try journal.file(name) ?? JournalledFile(name: name, inputs: [], catalogues: [])
            (file.isComplete, file.report) = (false, report)
            try journal.write(file)
        }
    }

    /// The catalogue of all files, as recorded by this or an earlier run.
    public var merged: JournalledFile.Catalogue? { knownMerged.withLock(\.self) }

    /// Records the catalogue of all files; the record is durable when this function returns.
    /// - Throws: ``JournalError`` if the journal cannot be written.
    public func write(merged: JournalledFile.Catalogue) async throws {
        try await executor.run { [opened] in
            opened.openFile?.change { $0.merged = merged }
            try opened.openFile?.insert([])
        }
        knownMerged.withLock { $0 = merged }
    }

    /// Records the end of the job, and closes the journal.
    /// - Parameters:
    ///   - state: state of the job.
    ///   - isComplete: whether every file is done, so that no results of tasks are needed any more.
    ///   - sources: total number of sources in all catalogues.
    /// - Throws: ``JournalError`` if the journal cannot be written.
    public func finish(_ state: JobRecord.State, isComplete: Bool, sources: Int) async throws {
        try await executor.run { [opened] in
            defer { opened.close() }
            opened.openFile?.change { record in
                if record.state == .finished { record.take(opened.record) }
                (record.sources, record.state) = (sources, state)
            }
            try opened.openFile?.finish(keepsResults: true)
            if isComplete { try opened.openFile?.removeTasks() }
        }
    }
}
