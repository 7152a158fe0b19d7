#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import ScanBasics
internal import ScanCluster
internal import ScanNetwork
internal import TaskJournal

/// The journal of a farm: the responses to tasks of any type, on disk, from which a further run of the same program
/// continues.
///
/// A response is found by its task: the name of the task's type, and checksums of its coded ID and of its whole coded
/// value, with that of the value that it shares with others. A task that has the ID of a recorded one, but another value, is an error, since the journal is then that of
/// other tasks.
final class FarmJournal: Sendable {
    /// Path of the file.
    let path: String
    private let executor: BlockingExecutor
    private let opened: Confined
    /// Checksums of recorded tasks by that of their ID, by type.
    private let known: Locked<[String: [UInt64: UInt64]]>
    private let group: GroupCommit<Entry>

    private struct Entry: Sendable {
        let key: ResultKey
        let encode: @Sendable (WireEncoder) throws -> [UInt8]
        let committed: @Sendable () -> Void
    }

    /// State that is confined to the journal's thread.
    private final class Confined: @unchecked Sendable {
        // Sendable, since it is used only on the journal's executor.
        private var lock: JournalLock?
        private(set) var store: ResultStore?
        let encoder = WireEncoder()

        init(_ lock: JournalLock, _ store: ResultStore) { (self.lock, self.store) = (lock, store) }

        func close() { (store, lock) = (nil, nil) }
    }

    /// The program and the types of its tasks, by which another program's journal is told from this one.
    private struct Record: Codable, Equatable {
        var program: String
        var types: [String]
    }

    /// "SKYT" identifies the journal of tasks. The version is that of the tables and of the coded form of responses.
    private static let form = ResultStore.Form(
        application: 0x534b_5954, version: 1, pageSize: 4096,
        texts: (
            foreign: "it is not a journal of tasks; give another path",
            otherVersion: "another version of the library has written this journal; remove it to start over"
        ),
        remedies: .library)

    /// Opens the journal of `program`, or creates it if there is no file at `path`.
    /// - Parameters:
    ///   - path: path of the file, in a folder that exists.
    ///   - types: names of the types of task.
    ///   - program: name of the program.
    /// - Returns: The journal, which this process locks until it is closed.
    /// - Throws: `ScanError` with `journal` if the file cannot be used, another process uses it, or it is the journal of
    ///   another program or of other types.
    static func open(path: String, types: [String], program: String) async throws(ScanError) -> FarmJournal {
        let executor = BlockingExecutor(label: "skyfarm.journal")
        let types = types.sorted()
        return try await failing {
            try await executor.run {
                let lock = try JournalLock(path: path + ".lock")
                let record = Record(program: program, types: types)
                let store = try ResultStore(path: path, form: form) { () throws(JournalError) in
                    try coded(record, path)
                }
                let json = try store.record()
                guard let old = try? JSONDecoder().decode(Record.self, from: Data(json.utf8)) else {
                    throw store.damaged("its record cannot be read; \(JournalRemedies.library.damaged)")
                }
                guard old == record else { throw other(old, than: record, path) }
                return FarmJournal(path, try store.keys(), Confined(lock, store), executor)
            }
        }
    }

    /// Opens the journal of this program at `url`, or returns nil if that is nil.
    /// - Throws: as ``open(path:types:program:)``.
    static func open(_ url: URL?, types: [String]) async throws(ScanError) -> FarmJournal? {
        guard let url else { return nil }
        guard url.isFileURL else { throw ScanError(.journal, "\(url): the journal must be a file, as URL(filePath:)") }
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? ""
        return try await open(path: url.path(percentEncoded: false), types: types, program: String(program))
    }

    private init(_ path: String, _ keys: [ResultKey], _ opened: Confined, _ executor: BlockingExecutor) {
        (self.path, self.executor, self.opened) = (path, executor, opened)
        let known = Locked<[String: [UInt64: UInt64]]>(
            keys.reduce(into: [:]) { $0[$1.kind, default: [:]][$1.basis] = $1.part })
        self.known = known
        group = GroupCommit(on: executor) { entries in
            guard let store = opened.store else { throw JournalError(.unwritable, "\(path): the journal is closed") }
            try store.insert(entries.map { ($0.key, try $0.encode(opened.encoder)) }, record: nil)
            known.withLock { known in
                for entry in entries { known[entry.key.kind, default: [:]][entry.key.basis] = entry.key.part }
            }
            for entry in entries { entry.committed() }
        }
    }

    private static func coded(_ record: Record, _ path: String) throws(JournalError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        } catch {
            throw JournalError(.damaged, "\(path): its record cannot be coded: \(error)")
        }
    }

    private static func other(_ old: Record, than new: Record, _ path: String) -> JournalError {
        let difference =
            old.program != new.program
            ? "the program \(old.program.printable), and this is \(new.program)"
            : "tasks of \(list(old.types)), and these are of \(list(new.types))"
        return JournalError(
            .otherTasks, "\(path): the journal is that of \(difference); give another path, or remove it to start over")
    }

    private static func list(_ types: [String]) -> String {
        types.isEmpty ? "any type" : types.map { "'\($0.printable)'" }.joined(separator: ", ")
    }

    /// Runs `body`, and throws its error as one of a run.
    static func failing<Result>(
        _ body: () async throws -> sending Result
    ) async throws(ScanError) -> sending Result {
        do {
            return try await body()
        } catch let error as ScanError {
            throw error
        } catch is CancellationError {
            throw ScanError(.cancelled, "the run was cancelled")
        } catch {
            throw ScanError(.journal, "\(error)")
        }
    }

    /// Closes the file and releases its lock. Responses that are added later are refused.
    func close() async {
        try? await group.flush()
        try? await executor.run { [opened] in opened.close() }
    }

    // MARK: Tasks

    /// Returns the key of a task, with that of the value that it shares with others.
    /// - Throws: the error of the task's encoding.
    func key<Work: ScanTask>(
        of task: Work, sharing shared: BulkKey? = nil, _ encoder: WireEncoder
    ) throws -> ResultKey {
        let value = try encoder.encode(task) { Checksum.of($0) }
        return ResultKey(
            kind: Work.typeName, basis: try encoder.encode(task.id) { Checksum.of($0) },
            part: shared.map { Checksum.of(value, Checksum.of($0.job, $0.index)) } ?? value)
    }

    /// Returns whether there is a response to the task with this key.
    /// - Throws: `ScanError` with `journal` if there is one to another task with the same ID.
    func holds(_ key: ResultKey, id: some Sendable) throws(ScanError) -> Bool {
        guard let part = known.withLock({ $0[key.kind]?[key.basis] }) else { return false }
        guard part == key.part else {
            throw ScanError(
                .journal,
                "\(path): the journal is that of other tasks: it has a response to '\(key.kind)' \("\(id)".printable) "
                    + "with other values, or with another shared value; give another path, or remove it to start over")
        }
        return true
    }

    /// Returns the recorded responses to `tasks`, in their order; nil for one that is damaged or that its task refuses,
    /// which is run again.
    /// - Throws: `ScanError` with `journal` if the file cannot be read.
    func responses<Work: ScanTask>(
        to tasks: [(task: Work, key: ResultKey)]
    ) async throws(ScanError) -> [TaskResponse<Work>?] {
        let found = try await Self.failing {
            try await executor.run { [opened, path] in
                guard let store = opened.store else {
                    throw JournalError(.unwritable, "\(path): the journal is closed")
                }
                return try tasks.map { task, key in
                    guard let bytes = try store.output(of: key),
                        let response = try? WireDecoder().decode(TaskResponse<Work>.self, from: bytes),
                        response.id == task.id, case .success(let output) = response.result,
                        (try? task.validate(output)) != nil
                    else { return nil as TaskResponse<Work>? }
                    return response
                }
            }
        }
        for (response, task) in zip(found, tasks) where response == nil {
            known.withLock { _ = $0[task.key.kind]?.removeValue(forKey: task.key.basis) }
        }
        return found
    }

    /// Adds a response, and calls `committed` on the journal's thread when it is durable. Suspends while the disk is slower
    /// than the responses.
    /// - Throws: `ScanError` with `journal` if the file cannot be written.
    func add<Work: ScanTask>(
        _ response: TaskResponse<Work>, of key: ResultKey, committed: @escaping @Sendable () -> Void
    ) async throws(ScanError) {
        try await Self.failing {
            try await group.add(Entry(key: key, encode: { try $0.encode(response) }, committed: committed))
        }
    }

    /// Waits until all responses that were added are durable.
    /// - Throws: `ScanError` with `journal` if they cannot be written.
    func flush() async throws(ScanError) { try await Self.failing { try await group.flush() } }
}
