internal import Foundation
internal import ScanCluster
internal import ScanNetwork

/// The journal of a running job. A task counts as finished once its result is durable here.
///
/// It writes on a thread of its own, so that neither the cooperative pool nor the network's event loop waits for the
/// disk. Results added while the disk syncs are committed together by the next transaction.
public final class ScanJournal: Sendable {
    /// The job's ID.
    public let id: String
    private let executor = BlockingExecutor(label: "skyfarm.journal")
    private let state = Locked(State())
    private let opened: Confined
    private let notice: @Sendable (String) -> Void

    private struct State {
        /// Results that are not durable yet, oldest first.
        var pending: [Pending] = []
        var isWriting = false
        /// Whether the journal's checksums are those of the inputs.
        var isConfirmed = false
        var waiting: [CheckedContinuation<Void, any Error>] = []
        var failure: (any Error)?
        var keys: Set<TaskKey> = []
    }

    private struct Pending: Sendable {
        let key: TaskKey
        let encode: @Sendable (WireEncoder) throws -> [UInt8]
        let committed: @Sendable () -> Void
    }

    /// State confined to the journal's thread.
    final class Confined: @unchecked Sendable {
        // Sendable: used on the journal's executor only.
        var lock: JournalLock?
        let encoder = WireEncoder()
        var file: JournalFile?

        init(lock: JournalLock, file: JournalFile) {
            self.lock = lock
            self.file = file
        }
    }

    init(id: String, opened: Confined, keys: Set<TaskKey>, notice: @escaping @Sendable (String) -> Void) {
        self.id = id
        self.opened = opened
        self.notice = notice
        state.withLock { $0.keys = keys }
    }

    // MARK: Inputs

    /// Checks whether the inputs are those of the journal.
    ///
    /// If the journal holds results to continue from, this returns after the check. Otherwise it returns at once, and
    /// results are held back until `checksums` returns.
    /// - Throws: what `checksums` throws, ``JournalError``.
    public func begin(_ checksums: @escaping @Sendable () async throws -> InputChecksums) async throws {
        if state.withLock({ $0.keys.isEmpty }) {
            Task {
                do { try await confirm(try await checksums()) } catch { fail(error) }
            }
        } else {
            try await confirm(try await checksums())
        }
    }

    private func confirm(_ checksums: InputChecksums) async throws {
        try await executor.run { [self] in
            guard let file = opened.file else { return }
            if file.record.checksums != checksums, !file.keys.isEmpty {
                let differences =
                    file.record.checksums.map { checksums.differences(from: $0).joined(separator: ", ") }
                    ?? "the checksum of its image is not known"
                notice("job \(id) cannot continue from its journal: \(differences); starting afresh")
                try file.removeResults()
                state.withLock { $0.keys = [] }
            }
            if file.record.checksums != checksums { try file.update { $0.checksums = checksums } }
            state.withLock { $0.isConfirmed = true }
            submitWrite()
        }
    }

    // MARK: Results

    /// Number of tasks whose results are durable.
    public var count: Int { state.withLock { $0.keys.count } }

    /// Whether the journal holds a result of the task.
    func holds(_ key: TaskKey) -> Bool { state.withLock { $0.keys.contains(key) } }

    /// The output of a task, if the journal holds one that decodes and passes `validate`.
    func output<Output: Decodable & Sendable>(
        of key: TaskKey, as type: Output.Type, validate: @escaping @Sendable (Output) throws -> Void
    ) async throws -> Output? {
        guard holds(key) else { return nil }
        let output = try await executor.run { [opened] () throws -> Output? in
            do {
                guard let bytes = try opened.file?.output(of: key) else { return nil }
                let output = try WireDecoder().decode(type, from: bytes)
                try validate(output)
                return output
            } catch {
                // After any error the task can be run again.
                return nil
            }
        }
        if output == nil {
            state.withLock { _ = $0.keys.remove(key) }
            notice("a result in the journal is damaged and is dropped; its task (\(key.step.rawValue)) is run again")
        }
        return output
    }

    /// Adds the output of a task; calls `committed`, on the journal's thread, once it is durable.
    ///
    /// Suspends while the backlog of unwritten results is large.
    /// - Throws: the reason why results cannot be written.
    func add(
        _ output: some Encodable & Sendable, of key: TaskKey, committed: @escaping @Sendable () -> Void
    ) async throws {
        let pending = Pending(key: key, encode: { try $0.encode(output) }, committed: committed)
        let count = try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.pending.append(pending)
            return state.pending.count
        }
        submitWrite()
        if count >= Self.mostPending { try await flush() }
    }

    /// Returns when all added results are durable.
    /// - Throws: the reason why they cannot be written.
    func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Void, any Error>? = state.withLock { state in
                if let failure = state.failure { return .failure(failure) }
                if state.pending.isEmpty, !state.isWriting { return .success(()) }
                state.waiting.append(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Records that the catalogue has been written, with or without missing sectors.
    ///
    /// The results of a finished job are deleted. Those of a partial one are kept: the same command tries the missing
    /// sectors again.
    /// - Throws: ``JournalError``.
    public func finish(_ result: SkyScanResult) async throws {
        let failures = result.missing.map {
            JobRecord.Failure(
                step: $0.step, rect: $0.rect, reason: $0.reason, log: $0.log.isEmpty ? nil : $0.log)
        }
        let sources = result.sources.count
        try await executor.run { [opened] in
            try opened.file?.update { record in
                (record.sources, record.failures) = (sources, failures)
                record.state = failures.isEmpty ? .finished : .partial
            }
            if failures.isEmpty { try opened.file?.removeResults() }
            (opened.file, opened.lock) = (nil, nil)
        }
    }

    // MARK: Writing

    private static let mostPending = 256

    private func submitWrite() {
        let begins = state.withLock { state in
            guard state.isConfirmed, !state.isWriting, !state.pending.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if begins { executor.submit { self.writePending() } }
    }

    /// Commits all pending results until none is left; runs on the journal's thread.
    private func writePending() {
        while true {
            let batch = state.withLock { state in
                defer { state.pending = [] }
                return state.pending
            }
            do {
                try commit(batch)
            } catch {
                fail(error)
                return
            }
            let waiting: [CheckedContinuation<Void, any Error>]? = state.withLock { state in
                guard state.pending.isEmpty else { return nil }
                state.isWriting = false
                defer { state.waiting = [] }
                return state.waiting
            }
            if let waiting {
                for continuation in waiting { continuation.resume() }
                return
            }
        }
    }

    private func commit(_ batch: [Pending]) throws {
        guard let file = opened.file, !batch.isEmpty else { return }
        try file.insert(batch.map { ($0.key, try $0.encode(opened.encoder)) })
        state.withLock { $0.keys.formUnion(batch.map(\.key)) }
        for pending in batch { pending.committed() }
    }

    /// Marks the journal as unwritable.
    private func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            state.failure = state.failure ?? error
            state.isWriting = false
            defer { (state.waiting, state.pending) = ([], []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }
}
