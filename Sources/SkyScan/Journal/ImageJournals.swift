internal import ScanCluster

/// The journals of the images of a job of many images, which share the job's file.
final class ImageJournals: Sendable {
    private let opening: JournalOpening
    private let opened: ScanJournal.Confined
    private let state: Locked<State>

    private struct State {
        let stored: Set<TaskKey>
        /// Journals of the images that are being scanned, by name of their file.
        var journals: [String: [ScanJournal]] = [:]
    }

    /// - Parameters:
    ///   - opening: parameters with which the journal of the job was opened.
    ///   - opened: the opened file of the job.
    ///   - stored: tasks whose results an earlier run left.
    init(opening: JournalOpening, opened: ScanJournal.Confined, stored: Set<TaskKey>) {
        (self.opening, self.opened) = (opening, opened)
        state = Locked(State(stored: stored))
    }

    func journal(
        of image: String, in name: String, inputs: [FileStamp], executor: BlockingExecutor
    ) throws(JournalError) -> ScanJournal {
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
        return state.withLock { state in
            let journal = ScanJournal(
                id: opening.id, opened: opened, keys: state.stored, executor: executor, image: key,
                notice: opening.notice)
            state.journals[name, default: []].append(journal)
            return journal
        }
    }

    /// Releases the journals of the images of a file.
    /// - Returns: The tasks whose results are stored for these images.
    func release(_ name: String) -> Set<TaskKey> {
        let journals = state.withLock { $0.journals.removeValue(forKey: name) ?? [] }
        return journals.reduce(into: []) { $0.formUnion($1.used) }
    }
}
