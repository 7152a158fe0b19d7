internal import Foundation

extension ScanJournal {
    /// Opens the journal of the job that `record` begins, or goes on with the one that is there.
    /// - Parameters:
    ///   - record: what a job that begins anew records of itself.
    ///   - folder: of all journals; made if it is missing.
    ///   - forgets: drops the results that are there.
    ///   - notice: told in a line each what the user should know, such as why the job cannot go on from a journal.
    /// - Returns: the journal, which the process holds until it is released.
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

    /// Records of finished jobs that are kept.
    private static let mostFinished = 50

    private static func openFile(
        _ record: JobRecord, _ id: String, _ folder: JournalFolder, _ forgets: Bool, _ notice: (String) -> Void
    ) throws(JournalError) -> JournalFile {
        let path = folder.journalPath(id)
        if !FileManager.default.fileExists(atPath: path) {
            let others = folder.entries()
            if !forgets { sayDifference(record, from: others, notice) }
            // What is finished is kept for a look back, which need not go back for ever.
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

    /// Says why an unfinished job on the same image is another one.
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
                + "`skyfarm jobs resume \(other.id)` goes on with it")
    }
}
