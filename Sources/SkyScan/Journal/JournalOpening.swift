internal import Foundation
internal import TaskJournal

/// Opens or creates the file of a journal.
struct JournalOpening: Sendable {
    /// Record for a new file.
    var record: JobRecord
    let folder: JournalFolder
    let forgets: Bool
    let notice: @Sendable (String) -> Void

    var id: String { record.identity.id }

    /// Returns the job's file with the results of an earlier run, or nil if there is no usable file.
    ///
    /// The record of a finished job is kept until the job is finished again, so that a failed run does not change it.
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
                    old.take(record)
                    old.tasks = record.tasks
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

    /// Creates the file of a job that has none.
    func make(isFinishing: Bool) throws(JournalError) -> JournalFile {
        do throws(JournalError) {
            if !forgets, !isFinishing { sayDifference(from: try folder.entries()) }
            try prune()
        } catch {
            // Errors of other journals do not affect this job.
            notice("journals of other jobs: \(error.message)")
        }
        return try JournalFile(path: folder.journalPath(id), new: record, isOnlyRecord: isFinishing)
    }

    /// Removes the oldest records of finished and failed jobs, which are only kept for `skyfarm jobs`.
    private func prune() throws(JournalError) {
        // Done for many at a time, since all records must be read.
        guard try folder.ids().count > Self.mostJournals else { return }
        let finished = try folder.entries().filter { $0.record?.state.isEnded == true && $0.process == nil }
        for entry in finished.dropFirst(Self.keptFinished) { try folder.remove(entry.id) }
    }

    private static let mostJournals = 64
    private static let keptFinished = 50

    /// Reports the differences between this job and an unfinished one on the same image.
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
