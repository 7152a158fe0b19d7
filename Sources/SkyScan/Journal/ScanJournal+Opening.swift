internal import Foundation

extension ScanJournal {
    /// Opens the journal of a job, or prepares one if there is none, or none from which the job can be resumed.
    ///
    /// A new file is made beside the scan. For a job of one task, which either is finished or has nothing to resume from,
    /// it is made when its result comes, or the job ends, after `longestUnkept`.
    /// - Parameters:
    ///   - record: the record of the job, for a new journal.
    ///   - folder: the folder of all journals; created if it is missing.
    ///   - forgets: whether existing results are deleted.
    ///   - isOneTask: whether the job has one task.
    ///   - longestUnkept: a single task that takes less is repeated rather than kept.
    ///   - notice: receives messages of one line for the user, such as why a job cannot be resumed from its journal.
    /// - Returns: the journal, locked by this process until it is finished or deallocated.
    /// - Throws: ``JournalError``: `inUse`, `noSpace`, `unwritable`.
    public static func open(
        _ record: JobRecord, in folder: JournalFolder, forgets: Bool = false, isOneTask: Bool = false,
        longestUnkept: Duration = .seconds(1), notice: @escaping @Sendable (String) -> Void
    ) async throws -> ScanJournal {
        try await BlockingExecutor(label: "skyfarm.journal").run {
            let opening = JournalOpening(record: record, folder: folder, forgets: forgets, notice: notice)
            try folder.create()
            let lock = try JournalLock(path: folder.lockPath(opening.id))
            let file = try opening.existing()
            let journal = ScanJournal(
                id: opening.id, opened: Confined(lock: lock, opening: opening, file: file), keys: file?.keys ?? [],
                keepsFrom: isOneTask ? .now + longestUnkept : nil, notice: notice)
            if file == nil, !isOneTask { journal.prepare() }
            return journal
        }
    }
}

/// How the file of a journal is opened or made.
struct JournalOpening: Sendable {
    /// The record of a new file.
    var record: JobRecord
    let folder: JournalFolder
    let forgets: Bool
    let notice: @Sendable (String) -> Void

    var id: String { record.identity.id }

    /// The job's file, with the results of an earlier run; nil if there is none that can be used.
    ///
    /// The record of a finished job stays until the job is finished again: a run that fails does not change it.
    func existing() throws(JournalError) -> JournalFile? {
        let path = folder.journalPath(id)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do throws(JournalError) {
            let file = try JournalFile(path: path, new: record)
            guard file.record.identity == record.identity else {
                try folder.removeFiles(id)
                return nil
            }
            if forgets {
                try file.removeResults()
                file.change { ($0.merged, $0.plans) = (nil, nil) }
            }
            if file.record.state != .finished {
                file.change { old in
                    (old.words, old.folder, old.outputs, old.tasks) = (
                        record.words, record.folder, record.outputs, record.tasks
                    )
                }
            }
            return file
        } catch {
            guard error.code == .damaged else { throw error }
            if forgets {
                try folder.removeFiles(id)
            } else {
                let name = try folder.setAside(id)
                notice("the journal of this job cannot be used and is now \(name) (\(error.message)); starting afresh")
            }
            return nil
        }
    }

    /// Makes the file of a job that has none.
    func make(isFinishing: Bool) throws(JournalError) -> JournalFile {
        do throws(JournalError) {
            if !forgets, !isFinishing { sayDifference(from: try folder.entries()) }
            try prune()
        } catch {
            // The other journals do not matter to this job.
            notice("journals of other jobs: \(error.message)")
        }
        return try JournalFile(path: folder.journalPath(id), new: record, isOnlyRecord: isFinishing)
    }

    /// Removes the oldest records of finished jobs, which are kept for `skyfarm jobs`.
    private func prune() throws(JournalError) {
        // Not one by one, since all records must be read.
        guard try folder.ids().count > Self.mostJournals else { return }
        let finished = try folder.entries().filter { $0.record?.state == .finished && $0.process == nil }
        for entry in finished.dropFirst(Self.keptFinished) { try folder.remove(entry.id) }
    }

    private static let mostJournals = 64
    private static let keptFinished = 50

    /// Reports how an unfinished job on the same image differs from this one.
    private func sayDifference(from others: [JournalFolder.Entry]) {
        let other = others.first {
            $0.record?.identity.image == record.identity.image && $0.record?.state == .unfinished && $0.process == nil
                && (!$0.tasks.isEmpty || $0.files > 0)
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
