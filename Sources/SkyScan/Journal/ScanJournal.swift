internal import Foundation
internal import ScanCluster
internal import ScanNetwork
package import TaskJournal

/// The journal of the tasks of an image, in the `FilesJournal` of its job. A task counts as finished when its result is
/// durable in the journal.
///
/// The journal writes on the thread of the job's journal, so that neither the cooperative pool nor the event loop of the
/// network blocks on the disk. Results that are added while the disk syncs are committed together in the next transaction.
///
/// A scan asks `output(of:as:validate:)` for the result of each task, and passes results of executed tasks to
/// `add(_:of:committed:)`. `JournalFile` stores the data.
public final class ScanJournal: Sendable {
    /// The job's ID, see `JobIdentity.id`.
    public let id: String
    /// Executor that confines the file: that of the job's journal.
    package let executor: BlockingExecutor
    /// Distinguishes the tasks of an image in the journal of a job of many images, or nil in a journal of one image.
    package let image: UInt64?
    private let state: Locked<State>
    /// Commits results, once the checksums in the journal are known to be those of the inputs.
    private let results: GroupCommit<Pending>
    package let opened: Confined
    private let notice: @Sendable (String) -> Void

    private struct State {
        /// Throws an error if results may belong to other inputs than those of the journal.
        var check: @Sendable () throws -> Void = {}
        var keys: Set<TaskKey> = []
        /// The subset of `keys` that this run has read or added.
        var used: Set<TaskKey> = []
    }

    private struct Pending: Sendable {
        let key: TaskKey
        let encode: @Sendable (WireEncoder) throws -> [UInt8]
        let committed: @Sendable () -> Void
    }

    /// State that is confined to the journal's thread.
    package final class Confined: @unchecked Sendable {
        // Sendable, since it is used only on the journal's executor.
        private var lock: JournalLock?
        let encoder = WireEncoder()
        private var opening: JournalOpening
        private(set) var openFile: JournalFile?
        /// Time from which the file of a job of one task is made, or nil if it is made at once. Before, repeating the
        /// task is faster.
        let keepsFrom: ContinuousClock.Instant?

        init(lock: JournalLock, opening: JournalOpening, file: JournalFile?, keepsFrom: ContinuousClock.Instant?) {
            (self.lock, self.opening, openFile, self.keepsFrom) = (lock, opening, file, keepsFrom)
        }

        /// Returns the file, or nil if the journal is closed, or the job is too short to be kept unless `always`.
        func keptFile(always: Bool = false) throws(JournalError) -> JournalFile? {
            if !always, openFile == nil, let keepsFrom, ContinuousClock.now < keepsFrom { return nil }
            return try file(isFinishing: keepsFrom != nil)
        }

        /// Returns the file, which is created if there is none yet, or nil after the journal is closed.
        func file(isFinishing: Bool = false) throws(JournalError) -> JournalFile? {
            guard openFile == nil, lock != nil else { return openFile }
            openFile = try opening.make(isFinishing: isFinishing)
            return openFile
        }

        /// Changes the record, which is written with the next results or at the end.
        func change(_ change: (inout JobRecord) -> Void) {
            if let openFile { openFile.change(change) } else { change(&opening.record) }
        }

        /// Record of this run.
        var record: JobRecord { opening.record }

        func close() { (openFile, lock) = (nil, nil) }
    }

    init(
        id: String, opened: Confined, keys: Set<TaskKey>, executor: BlockingExecutor, image: UInt64? = nil,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.id = id
        self.executor = executor
        self.image = image
        self.opened = opened
        self.notice = notice
        let state = Locked(State(keys: keys))
        self.state = state
        // The key of an image in a job of many images includes sizes and modification times of its files.
        results = GroupCommit(on: executor, isHeld: image == nil) { batch in
            guard let file = try opened.file() else { return }
            try file.insert(batch.map { ($0.key, try $0.encode(opened.encoder)) })
            state.withLock { state in
                state.keys.formUnion(batch.map(\.key))
                state.used.formUnion(batch.map(\.key))
            }
            for pending in batch { pending.committed() }
        }
    }

    /// Whether results of finished tasks are kept. Those of a job of one task are kept only if the task takes long.
    public var isKept: Bool { opened.keepsFrom == nil || count > 0 }

    // MARK: Inputs

    /// Sets a check that is called before a result is added; `SkyScan.run()` throws its errors. Without it, a result
    /// of an overwritten input could be kept as a result of the previous input.
    public func checkInputs(by check: @escaping @Sendable () throws -> Void) { state.withLock { $0.check = check } }

    /// Checks that the inputs are those of the journal.
    ///
    /// If the journal has results to continue from, this function returns after the check. Otherwise it returns at
    /// once, and results are held back until `checksums` returns. Has no effect for an image of a job of many images,
    /// whose inputs are known.
    /// - Throws: The errors of `checksums`, and `JournalError`.
    public func begin(_ checksums: @escaping @Sendable () async throws -> InputChecksums) async throws {
        if image != nil { return }
        if state.withLock({ $0.keys.isEmpty }) {
            Task {
                do { try await confirm(try await checksums()) } catch { results.fail(error) }
            }
        } else {
            try await confirm(try await checksums())
        }
    }

    private func confirm(_ checksums: InputChecksums) async throws {
        try await executor.run { [self] in
            if let file = opened.openFile, file.record.checksums != checksums, !file.keys.isEmpty {
                let differences =
                    file.record.checksums.map { checksums.differences(from: $0).joined(separator: ", ") }
                    ?? "the checksum of its image is not known"
                notice("job \(id) cannot continue from its journal: \(differences); starting afresh")
                try file.removeTasks()
                state.withLock { $0.keys = [] }
            }
            opened.change { $0.checksums = checksums }
            results.release()
        }
    }

    // MARK: Results

    /// Number of tasks with durable results.
    public var count: Int { state.withLock { $0.keys.count } }

    /// Returns whether the journal has a result of the task.
    package func holds(_ key: TaskKey) -> Bool { state.withLock { $0.keys.contains(stored(key)) } }

    /// Returns the key under which the result of a task is stored in the file.
    private func stored(_ key: TaskKey) -> TaskKey {
        guard let image else { return key }
        return TaskKey(step: key.step, basis: Checksum.of(image, key.basis), window: key.window)
    }

    /// Keys of the results in the file that this run has read or added.
    package var used: Set<TaskKey> { state.withLock(\.used) }

    /// Returns the output of a task, if the journal has one that decodes and passes `validate`.
    package func output<Output: Decodable & Sendable>(
        of key: TaskKey, as type: Output.Type, validate: @escaping @Sendable (Output) throws -> Void
    ) async throws -> Output? {
        guard holds(key) else { return nil }
        let key = stored(key)
        let result = try await executor.run { [opened] () throws -> Result<Output, any Error> in
            Result {
                guard let bytes = try opened.openFile?.output(of: key) else {
                    throw JournalError(.damaged, "its checksum does not match")
                }
                let output = try WireDecoder().decode(type, from: bytes)
                try validate(output)
                return output
            }
        }
        switch result {
        case .success(let output):
            state.withLock { _ = $0.used.insert(key) }
            return output
        case .failure(let error):
            // After any error, the task can be run again.
            state.withLock { _ = $0.keys.remove(key) }
            notice(
                "a result in the journal is damaged and is dropped (\(error)); its task (\(key.step.rawValue)) is run "
                    + "again")
            return nil
        }
    }

    /// Adds the output of a task. Calls `committed` on the journal's thread when the output is durable.
    ///
    /// Suspends while the backlog of unwritten results is large. A result that need not be kept is dropped, and
    /// `committed` is called at once.
    /// - Throws: The error that prevents writing, and the errors of the check of the inputs.
    package func add(
        _ output: some Encodable & Sendable, of key: TaskKey, committed: @escaping @Sendable () -> Void
    ) async throws {
        if let keepsFrom = opened.keepsFrom, ContinuousClock.now < keepsFrom { return committed() }
        try state.withLock(\.check)()
        try await results.add(
            Pending(key: stored(key), encode: { try $0.encode(output) }, committed: committed))
    }

    /// Waits until all added results are durable.
    /// - Throws: The error that prevents writing.
    package func flush() async throws { try await results.flush() }

    /// Waits like `flush()`, but reports an error instead of throwing it.
    func flushReporting() async {
        do {
            try await flush()
        } catch {
            notice("the journal lacks the latest results: \(error)")
        }
    }

    /// Increases the known number of tasks of the job.
    package func expect(_ count: Int) {
        if count == 0 { return }
        executor.submit { [opened] in opened.change { $0.tasks = $0.tasks.map { $0 + count } } }
    }

    /// Creates the file concurrently with the scan, unless the job may be too short to be kept.
    package func prepare() {
        if opened.keepsFrom != nil { return }
        executor.submit { [self] in
            do {
                _ = try opened.file()
            } catch {
                results.fail(error)
            }
        }
    }
}
