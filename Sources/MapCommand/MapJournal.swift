import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics
import SkyScan
import TaskJournal

/// The finished items of runs of one program with one place of results: a line of JSON for each, appended when its
/// results have their names. The last line of an item counts.
final class MapJournal {
    private struct Record: Codable {
        var v = 1
        var item: String
        /// Checksum of the task.
        var task: UInt64
        var inputs: [FileStamp]
        var outputs: [FileStamp]
    }

    private var records: [String: Record] = [:]
    private let file: OpenDescriptor

    /// Opens the journal and, if `resumes`, reads it; otherwise it begins anew.
    /// - Throws: `CommandError` if it cannot be written, or another run uses it.
    init(_ options: MapCommand.Options, place: String) throws {
        guard let base = UserFolder.state.path(options.environment) else {
            throw CommandError(.output, "map: no folder for the journal: set HOME or XDG_STATE_HOME")
        }
        if let reason = UserFolder.distrust(base) { throw CommandError(.output, reason) }
        let folder = base + "/maps"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let identity = try Checksum.of([options.program, AbsolutePath.of(place)])
        let path = "\(folder)/\(String(identity, radix: 16)).ndjson"
        let number = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw CommandError(.output, path, errno: errno) }
        file = OpenDescriptor(number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandError(
                .output, "map: another run of \(options.program) writes to \(place); wait for it, or name another place"
            )
        }
        if options.resumes { try read() } else { ftruncate(number, 0) }
    }

    private func read() throws {
        guard let size = file.status?.size, let bytes = try? file.bytes(at: 0, count: Int(size)) else { return }
        let decoder = JSONDecoder()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // The last line of a killed run may be incomplete.
            guard let record = try? decoder.decode(Record.self, from: Data(line)), record.v == 1 else { continue }
            records[record.item] = record
        }
        // What follows an incomplete line would be lost with it.
        if let last = bytes.last, last != UInt8(ascii: "\n") { _ = writeAll([UInt8(ascii: "\n")]) }
    }

    /// Whether the item is done: neither the task, nor an input, nor a result or its name has changed since.
    func isDone(_ item: PreparedItem) -> Bool {
        guard let record = records[Self.key(item)], let task = try? Self.checksum(item.task) else { return false }
        return record.task == task && record.inputs == item.stamps
            && record.outputs.map(\.path).starts(with: item.places.map(AbsolutePath.of))
            && !record.outputs.isEmpty && record.outputs.allSatisfy { FileStamp($0.path) == $0 }
    }

    /// Paths of the results of an item that is done.
    func outputs(of item: PreparedItem) -> [String] { records[Self.key(item)]?.outputs.map(\.path) ?? [] }

    /// Notes that the item is done and its results are in these files.
    /// - Throws: `CommandError` if the journal cannot be written.
    func note(_ item: PreparedItem, outputs: [String]) throws {
        let record = Record(
            item: Self.key(item), task: try Self.checksum(item.task), inputs: item.stamps,
            outputs: outputs.compactMap { FileStamp(AbsolutePath.of($0)) })
        let line = Array(try JSONOutput.line(record).utf8)
        if let error = writeAll(line) { throw CommandError(.output, "the journal of map", errno: error) }
    }

    private func writeAll(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { ScanBasics.writeAll($0, to: file.number) }
    }

    private static func key(_ item: PreparedItem) -> String {
        item.item.members.map { $0.path.map(AbsolutePath.of) ?? $0.text }.joined(separator: "\n")
    }

    private static func checksum(_ task: ProgramTask) throws -> UInt64 {
        var task = task
        (task.id, task.inlined, task.seconds) = (0, [], nil)
        return try Checksum.of(task)
    }
}
