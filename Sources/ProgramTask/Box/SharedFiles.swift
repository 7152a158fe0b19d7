import CProgramBox
import Foundation
import ScanBasics
import ScanCluster

/// The shared files of tasks on disk, by their content: each is written once and kept for later tasks.
final class SharedFiles: Sendable {
    private typealias File = ProgramTask.SharedFile

    private struct Entry {
        /// Size and time of change after it was written: a program may have written to it since.
        var status: FileStatus
        var users: Int
        var lastUse: Int
    }

    private struct State {
        var entries: [File: Entry] = [:]
        var uses = 0
    }

    private let scratch: ScratchFolder
    /// Most bytes of files that no task uses.
    private let limit: Int
    private let state = Locked(State())

    init(in scratch: ScratchFolder, limit: Int) { (self.scratch, self.limit) = (scratch, limit) }

    /// Writes those files that are not there from `bulk`, the bytes of all of them, and holds them until
    /// ``giveBack(_:)``.
    /// - Returns: their absolute paths.
    /// - Throws: ``ProgramRefusal``, and nothing is held then.
    func take(_ files: [ProgramTask.SharedFile], from bulk: BulkBytes?) throws(ProgramRefusal) -> [String] {
        if files.isEmpty { return [] }
        guard let bulk else { throw ProgramRefusal("the shared files did not come with the task") }
        let problem = state.withLock { state -> ProgramRefusal? in
            var start = 0
            for file in files {
                if let problem = hold(file, bulk, start, &state) { return problem }
                start += file.size
            }
            for file in files { state.entries[file]?.users += 1 }
            makeRoom(&state)
            return nil
        }
        if let problem { throw problem }
        return files.map { "\(scratch.path)/\(Self.folder(of: $0))/\($0.name)" }
    }

    func giveBack(_ files: [ProgramTask.SharedFile]) {
        state.withLock { state in for file in files { state.entries[file]?.users -= 1 } }
    }

    private static func folder(of file: File) -> String {
        "shared-" + String(file.checksum, radix: 16) + "-" + String(file.size, radix: 16)
    }

    private func hold(_ file: File, _ bulk: BulkBytes, _ start: Int, _ state: inout State) -> ProgramRefusal? {
        state.uses += 1
        let path = "\(scratch.path)/\(Self.folder(of: file))/\(file.name)"
        if let entry = state.entries[file], let present = FileStatus(path: path), present.size == entry.status.size,
            present.modified == entry.status.modified
        {
            state.entries[file]?.lastUse = state.uses
            return nil
        }
        let problem = bulk.withUnsafeBytes { bytes -> ProgramRefusal? in
            let content = UnsafeRawBufferPointer(rebasing: bytes[start..<start + file.size])
            if ProgramOutput.checksum(content) != file.checksum {
                return ProgramRefusal("refused: the checksum of the shared file \(file.name) is wrong")
            }
            return write(content, file)
        }
        guard problem == nil, let status = FileStatus(path: path) else {
            return problem ?? ProgramRefusal("the shared file \(file.name) has gone")
        }
        let users = state.entries[file]?.users ?? 0
        state.entries[file] = Entry(status: status, users: users, lastUse: state.uses)
        return nil
    }

    private func write(_ content: UnsafeRawBufferPointer, _ file: File) -> ProgramRefusal? {
        let (root, name) = (scratch.descriptor.number, Self.folder(of: file))
        guard mkdirat(root, name, 0o700) == 0 || errno == EEXIST else { return ProgramPlace.refusal(name, errno) }
        let number = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return ProgramPlace.refusal(name, errno) }
        unlinkat(number, file.name, 0)
        return ProgramPlace.write(content, file.name, in: OpenDescriptor(number), mode: 0o400)
    }

    /// Removes the files that were not used for the longest time, down to the limit.
    private func makeRoom(_ state: inout State) {
        var total = state.entries.keys.reduce(0) { $0 + $1.size }
        let unused = state.entries.filter { $0.value.users == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (file, _) in unused where total > limit {
            // Files with the same content and other names are in the same folder.
            let same = state.entries.filter { Self.folder(of: $0.key) == Self.folder(of: file) }
            if same.contains(where: { $0.value.users > 0 }) { continue }
            skyfarm_remove_tree(scratch.descriptor.number, Self.folder(of: file))
            for other in same.keys { state.entries[other] = nil }
            total -= file.size
        }
    }
}
