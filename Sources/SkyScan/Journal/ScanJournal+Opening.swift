internal import Foundation

extension ScanJournal {
    /// Opens the journal of a job, or creates it if there is none, or none from which the job can be resumed.
    /// - Parameters:
    ///   - record: the record of the job, for a new journal.
    ///   - folder: the folder of all journals; created if it is missing.
    ///   - forgets: whether existing results are deleted.
    ///   - notice: receives messages of one line for the user, such as why a job cannot be resumed from its journal.
    /// - Returns: the journal, locked by this process until it is finished or deallocated.
    /// - Throws: ``JournalError``: `inUse`, `noSpace`, `unwritable`.
    public static func open(
        _ record: JobRecord, in folder: JournalFolder, forgets: Bool = false,
        notice: @escaping @Sendable (String) -> Void
    ) async throws -> ScanJournal {
        try await BlockingExecutor(label: "skyfarm.journal").run {
            let id = record.identity.id
            try folder.create()
            let lock = try JournalLock(path: folder.lockPath(id))
            if forgets { folder.removeFiles(id) }
            let file = try openFile(record, id, folder, forgets, notice)
            return ScanJournal(id: id, opened: Confined(lock: lock, file: file), keys: file.keys, notice: notice)
        }
    }

    /// Most records of finished jobs that are kept.
    private static let mostFinished = 50

    private static func openFile(
        _ record: JobRecord, _ id: String, _ folder: JournalFolder, _ forgets: Bool, _ notice: (String) -> Void
    ) throws(JournalError) -> JournalFile {
        let path = folder.journalPath(id)
        if !FileManager.default.fileExists(atPath: path) {
            let others = folder.entries()
            if !forgets { sayDifference(record, from: others, notice) }
            // Only the latest records of finished jobs are kept, for `skyfarm jobs`.
            for entry in others.filter({ $0.record?.state == .finished }).dropFirst(mostFinished) {
                try? folder.remove(entry.id)
            }
        }
        do throws(JournalError) {
            let file = try JournalFile(path: path, new: record)
            let isSame = file.record.identity == record.identity
            if isSame, file.record.state != .finished {
                try file.update { old in (old.words, old.folder) = (record.words, record.folder) }
                return file
            }
        } catch {
            guard error.code == .damaged else { throw error }
            let name = folder.setAside(id)
            notice("the journal of this job cannot be used and is now \(name) (\(error.message)); starting afresh")
        }
        folder.removeFiles(id)
        return try JournalFile(path: path, new: record)
    }

    /// Reports how an unfinished job on the same image differs from this one.
    private static func sayDifference(
        _ record: JobRecord, from others: [JournalFolder.Entry], _ notice: (String) -> Void
    ) {
        let other = others.first {
            $0.record?.identity.image == record.identity.image && $0.record?.state == .unfinished && $0.process == nil
                && !$0.tasks.isEmpty
        }
        guard let other, let old = other.record?.identity else { return }
        let differences = record.identity.differences(from: old)
        let shown = differences.prefix(3).joined(separator: ", ")
        let more = differences.count > 3 ? " and \(differences.count - 3) more" : ""
        notice(
            "job \(other.id) of this image is unfinished, but differs (\(shown)\(more)); starting afresh, "
                + "`skyfarm jobs resume \(other.id)` continues it")
    }
}
