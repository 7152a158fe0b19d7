public import ScanBasics

internal import Foundation
internal import ScanCluster
public import TaskJournal

/// The journal of a running job, of one image or of many: the files that are done, and their catalogues.
///
/// The journal is one file on disk, a `JournalFile`, which is accessed on a separate thread. Per input file it
/// records the catalogues; the results of single tasks are in the `ScanJournal` of each image, which shares the same
/// file: that of `tasks(of:in:inputs:)`, or `sole` in a job of one image. After a restart, `files()` tells which
/// files need not be scanned again.
public final class FilesJournal: Sendable {
    /// The job's ID, see `JobIdentity.id`.
    public let id: String
    /// Whether an earlier run recorded files.
    public let hasFiles: Bool
    /// Whether an earlier run finished the job.
    public let isFinished: Bool
    /// Journal of the tasks of the image of a job of one, or nil for many images.
    public let sole: ScanJournal?
    private let executor: BlockingExecutor
    private let opened: ScanJournal.Confined
    private let notice: @Sendable (String) -> Void
    /// Tasks whose results an earlier run left.
    private let stored: Set<TaskKey>
    private let state: Locked<State>

    private struct State {
        var merged: JournalledFile.Catalogue?
        /// Journals of the images that are being scanned, by name of their file.
        var journals: [String: [ScanJournal]] = [:]
    }

    private init(
        _ opening: JournalOpening, _ opened: ScanJournal.Confined, hasFiles: Bool, executor: BlockingExecutor
    ) {
        id = opening.id
        (stored, notice) = (opened.openFile?.keys ?? [], opening.notice)
        sole =
            opening.record.isSole
            ? ScanJournal(id: id, opened: opened, keys: stored, executor: executor, notice: notice) : nil
        state = Locked(State(merged: opened.openFile?.record.merged))
        (self.hasFiles, self.opened, self.executor) = (hasFiles, opened, executor)
        isFinished = opened.openFile?.record.state == .finished
    }

    /// Opens the journal of a job, or creates it if there is none from which the job can be resumed. The file of a job of
    /// one image is made by `ScanJournal.prepare()`, or when something is written.
    /// - Parameters:
    ///   - record: record of the job for a new journal.
    ///   - folder: folder of all journals, which is created if it is missing.
    ///   - forgets: whether to delete everything that an earlier run left.
    ///   - forgetsFinished: whether to delete it if the earlier run finished every file.
    ///   - longestUnkept: time below which the journal of a job of one task is not kept, since the task can be repeated;
    ///     nil for a job of several tasks.
    ///   - notice: receives messages for the user of one line each, such as the reason why a job cannot be resumed.
    /// - Returns: The journal, which this process locks until it is finished or deallocated.
    /// - Throws: `JournalError` with `inUse`, `noSpace`, `unwritable` or `damaged`.
    public static func open(
        _ record: JobRecord, in folder: JournalFolder, forgets: Bool = false, forgetsFinished: Bool = false,
        longestUnkept: Duration? = nil, notice: @escaping @Sendable (String) -> Void
    ) async throws -> FilesJournal {
        let executor = BlockingExecutor(label: "skyfarm.journal")
        return try await executor.run {
            let opening = JournalOpening(record: record, folder: folder, forgets: forgets, notice: notice)
            try folder.create()
            let lock = try JournalLock(path: folder.lockPath(opening.id), remedies: .command)
            let file = try opening.existing() ?? (record.isSole ? nil : opening.make(isFinishing: false))
            var files = try file?.files() ?? []
            if let file, forgetsFinished, file.record.state == .finished,
                files.count(where: { $0.isComplete }) == record.files
            {
                try file.removeResults()
                files = []
                file.change { $0.merged = nil }
            }
            let opened = ScanJournal.Confined(
                lock: lock, opening: opening, file: file, keepsFrom: longestUnkept.map { .now + $0 })
            return FilesJournal(opening, opened, hasFiles: !files.isEmpty, executor: executor)
        }
    }

    /// Returns the records of all files by this or an earlier run. They are read from disk, so that the watch of a
    /// folder does not use more memory with each file.
    /// - Throws: `JournalError` if the journal cannot be read.
    public func files() async throws -> [JournalledFile] {
        try await executor.run { [opened] in try opened.openFile?.files() ?? [] }
    }

    /// Returns the record of a file by this or an earlier run, or nil if there is none.
    /// - Throws: `JournalError` if the journal cannot be read.
    public func file(_ name: String) async throws -> JournalledFile? {
        try await executor.run { [opened] in try opened.openFile?.file(name) }
    }

    /// Writes the record of a file, which is durable when this function returns. Nothing is written for a job that is
    /// too short to be kept.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func write(_ file: JournalledFile) async throws {
        try await executor.run { [opened] in try opened.keptFile()?.write(file) }
    }

    /// Writes the records of several files at once; they are durable when this function returns.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func write(_ files: [JournalledFile]) async throws {
        if files.isEmpty { return }
        try await executor.run { [opened] in try opened.openFile?.write(files) }
    }

    /// Returns the journal of the tasks of an image, with the results of an earlier run on the same files. The results
    /// are kept until the file is complete.
    /// - Parameters:
    ///   - image: name of the image, with its HDU.
    ///   - file: name of its file.
    ///   - inputs: stamps of the file, its mask and its weight map, taken before they were read.
    /// - Returns: A journal that shares the file of this one.
    /// - Throws: `JournalError` if the key of the image cannot be encoded.
    public func tasks(of image: String, in file: String, inputs: [FileStamp]) throws(JournalError) -> ScanJournal {
        struct Key: Encodable {
            var image: String
            var inputs: [FileStamp]
        }
        let key: UInt64
        do {
            key = try Checksum.of(Key(image: image, inputs: inputs))
        } catch {
            throw JournalError(.damaged, "\(image): its name cannot be coded: \(error)")
        }
        let journal = ScanJournal(
            id: id, opened: opened, keys: stored, executor: executor, image: key, notice: notice)
        state.withLock { $0.journals[file, default: []].append(journal) }
        return journal
    }

    /// Releases the journals of the images of a file, and returns the tasks whose results are stored for these images.
    private func release(_ file: String) -> Set<TaskKey> {
        let journals = state.withLock { $0.journals.removeValue(forKey: file) ?? [] }
        return journals.reduce(into: []) { $0.formUnion($1.used) }
    }

    /// Records a file whose catalogues are written; the record is durable when this function returns. If the file is
    /// complete, the results of its tasks are deleted.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func finish(_ file: JournalledFile) async throws {
        let keys = release(file.name)
        try await executor.run { [opened] in
            try opened.keptFile(always: !file.isComplete)?.write(file, removing: file.isComplete ? keys : [])
        }
    }

    /// Records that a file could not be scanned; the record is durable when this function returns. The results of its
    /// tasks are kept, and the outputs that the job has written stay known. Those that it was about to write and that
    /// do not exist are forgotten.
    /// - Parameters:
    ///   - name: name of the file.
    ///   - report: report about the file, encoded by the program.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func fail(_ name: String, report: [UInt8]) async throws {
        _ = release(name)
        try await executor.run { [opened, sole] in
            guard let journal = try opened.keptFile(always: true) else { return }
            var file = try journal.file(name) ?? JournalledFile(name: name, inputs: [], catalogues: [])
            // A rerun that fails leaves the record of a finished image as it is.
            if sole != nil, file.isComplete { return }
            (file.catalogues, file.isComplete, file.report) = (file.remaining, false, report)
            try journal.write(file)
        }
    }

    /// The catalogue of all files, as recorded by this or an earlier run.
    public var merged: JournalledFile.Catalogue? { state.withLock(\.merged) }

    /// Records the catalogue of all files; the record is durable when this function returns.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func write(merged: JournalledFile.Catalogue) async throws {
        try await executor.run { [opened] in
            opened.openFile?.change { $0.merged = merged }
            try opened.openFile?.insert([])
        }
        state.withLock { $0.merged = merged }
    }

    /// The outcome of a job.
    public struct End: Sendable {
        /// State of the job.
        public var state: JobRecord.State
        /// Whether every file is done, so that no results of tasks are needed any more.
        public var isComplete: Bool
        /// Total number of sources in all catalogues.
        public var sources: Int
        /// Number of tasks with a result, and number of all tasks.
        public var tasksDone: Int
        /// See `tasksDone`.
        public var tasks: Int

        /// Creates the end of a job.
        public init(state: JobRecord.State, isComplete: Bool, sources: Int, tasksDone: Int = 0, tasks: Int = 0) {
            (self.state, self.isComplete, self.sources) = (state, isComplete, sources)
            (self.tasksDone, self.tasks) = (tasksDone, tasks)
        }
    }

    /// Records the end of the job, and closes the journal. A complete job that is too short to be kept leaves no record
    /// unless it already has one. A job of one image that fails after it was finished stays finished.
    /// - Throws: `JournalError` if the journal cannot be written.
    public func finish(_ end: End) async throws {
        try await executor.run { [opened, sole] in
            defer { opened.close() }
            guard let file = try opened.keptFile(always: !end.isComplete) else { return }
            if sole != nil, end.state == .failed, file.record.state == .finished { return }
            file.change { record in
                if record.state == .finished {
                    record.take(opened.record)
                    if sole != nil { record.began = opened.record.began }
                }
                (record.sources, record.state) = (end.sources, end.state)
                // A failed scan has counted no tasks.
                if sole != nil, end.state != .failed {
                    (record.tasksDone, record.tasks) = (end.tasksDone, end.tasks)
                }
            }
            try file.finish(keepsResults: !end.isComplete)
        }
    }
}
