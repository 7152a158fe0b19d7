public import ScanBasics

internal import Foundation
internal import ScanCluster

/// The journal of a running job of many images: which files are done, and their catalogues.
public final class FilesJournal: Sendable {
    /// The job's ID.
    public let id: String
    /// Whether an earlier run has recorded files.
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

    /// What the job, in this run or an earlier one, has recorded about each file. They are read from the disk, so that a
    /// watch of folders takes no more memory with each file.
    /// - Throws: ``JournalError``.
    public func files() async throws -> [JournalledFile] {
        try await executor.run { [opened] in try opened.openFile?.files() ?? [] }
    }

    /// What the job, in this run or an earlier one, has recorded about a file; nil if nothing.
    /// - Throws: ``JournalError``.
    public func file(_ name: String) async throws -> JournalledFile? {
        try await executor.run { [opened] in try opened.openFile?.file(name) }
    }

    /// Opens the journal of a job of many images, or creates it.
    /// - Parameters:
    ///   - record: the record of the job.
    ///   - folder: the folder of all journals; created if it is missing.
    ///   - forgets: whether everything that an earlier run left is deleted.
    ///   - forgetsFinished: whether that of a run that finished every file is.
    ///   - notice: receives messages of one line for the user.
    /// - Returns: the journal, locked by this process until it is finished or deallocated.
    /// - Throws: ``JournalError``: `inUse`, `noSpace`, `unwritable`, `damaged`.
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

    /// Records what is known about a file; durable when this returns.
    /// - Throws: ``JournalError``.
    public func write(_ file: JournalledFile) async throws {
        try await executor.run { [opened] in try opened.openFile?.write(file) }
    }

    /// The journal of the tasks of an image, with the results of an earlier run on the same files. The results are kept until
    /// the file is complete.
    /// - Parameters:
    ///   - image: the image's name, with its HDU.
    ///   - file: the name of its file.
    ///   - inputs: the image's file, its mask and its weight map, as they were before they were read.
    /// - Returns: a journal that shares the file of this one.
    /// - Throws: ``JournalError`` if the key cannot be coded.
    public func tasks(of image: String, in file: String, inputs: [FileStamp]) throws(JournalError) -> ScanJournal {
        try images.journal(of: image, in: file, inputs: inputs, executor: executor)
    }

    /// Records a file whose catalogues are written; durable when this returns. If it is complete, the results of its tasks
    /// are deleted.
    /// - Throws: ``JournalError``.
    public func finish(_ file: JournalledFile) async throws {
        let keys = images.release(file.name)
        try await executor.run { [opened] in try opened.openFile?.write(file, removing: file.isComplete ? keys : []) }
    }

    /// A file could not be scanned: the results of its tasks stay.
    public func release(_ file: String) { _ = images.release(file) }

    /// The table of all files, as this run or an earlier one has recorded it.
    public var merged: JournalledFile.Catalogue? { knownMerged.withLock(\.self) }

    /// Records what is known about the table of all files; durable when this returns.
    /// - Throws: ``JournalError``.
    public func write(merged: JournalledFile.Catalogue) async throws {
        try await executor.run { [opened] in
            opened.openFile?.change { $0.merged = merged }
            try opened.openFile?.insert([])
        }
        knownMerged.withLock { $0 = merged }
    }

    /// Records the end of the job.
    /// - Parameters:
    ///   - isComplete: whether every file is done.
    ///   - sources: number of sources in all catalogues.
    /// - Throws: ``JournalError``.
    public func finish(isComplete: Bool, sources: Int) async throws {
        try await executor.run { [opened] in
            defer { opened.close() }
            opened.openFile?.change { record in
                (record.sources, record.state) = (sources, isComplete ? .finished : .partial)
            }
            try opened.openFile?.finish(keepsResults: true)
            if isComplete { try opened.openFile?.removeTasks() }
        }
    }
}
