import Console
import Foundation
import ProgramTask
import TaskJournal

/// The results of calls on disk, by function and value: a further run calls the function only for values without one.
final class CallJournal: Sendable {
    /// The state that is confined to the journal's executor.
    private final class Confined: @unchecked Sendable {
        // Sendable, since it is used only there.
        let store: ResultStore
        private let lock: JournalLock

        init(_ store: ResultStore, _ lock: JournalLock) { (self.store, self.lock) = (store, lock) }
    }

    private let confined: Confined
    private let group: GroupCommit<(key: ResultKey, bytes: [UInt8])>

    /// "SKYC" identifies the journal of calls.
    private static let form = ResultStore.Form(
        application: 0x534b_5943, version: 1, pageSize: 4096,
        texts: (
            foreign: "it is not a journal of calls; give another path",
            otherVersion: "another version of Skyfarm has written this journal; remove it to start over"
        ),
        remedies: .library)

    /// Opens the journal, or makes it if there is no file. Runs on `executor`.
    /// - Throws: `JournalError` if the file cannot be used, or another process uses it.
    init(path: String, on executor: BlockingExecutor) throws {
        let lock = try JournalLock(path: path + ".lock")
        let store = try ResultStore(path: path, form: Self.form) { () throws(JournalError) in "{\"v\":1}" }
        let confined = Confined(store, lock)
        self.confined = confined
        group = GroupCommit(on: executor) { entries in
            try confined.store.insert(entries.map { ($0.key, $0.bytes) }, record: nil)
        }
    }

    private static func key(_ task: PythonTask) -> ResultKey {
        ResultKey(kind: task.function, basis: task.checksum, part: UInt64(task.size))
    }

    /// The recorded result; nil if there is none. Runs on the executor.
    /// - Throws: `JournalError` if the file cannot be read.
    func output(of task: PythonTask) throws -> PythonOutput? {
        guard let bytes = try confined.store.output(of: Self.key(task)),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        var output = PythonOutput()
        output.version = String(decoding: bytes[..<end], as: UTF8.self)
        output.value = Array(bytes[(end + 1)...])
        return output.value.isEmpty ? nil : output
    }

    /// Records a result.
    /// - Throws: `JournalError` if the file cannot be written.
    func add(_ output: PythonOutput, of task: PythonTask) async throws {
        try await group.add((Self.key(task), Array((output.version + "\n").utf8) + output.value))
    }

    /// Waits until all results are durable.
    /// - Throws: `JournalError` if they cannot be written.
    func flush() async throws { try await group.flush() }
}
