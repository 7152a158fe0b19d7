package import CommandLineKit
import Console
import Foundation
package import ScanBasics

/// The files that a job has written, as its process has recorded them. What a job only names is not among them.
package struct JobOutputs: Sendable {
    /// By path; the last state of each.
    private let files: [String: WrittenFile]
    /// Those below which they must be.
    private let folders: ConfinedFolders

    /// The record of a job: a line for each file, of which an interrupted one is left out.
    /// - Parameters:
    ///   - record: its bytes.
    ///   - folders: where jobs may write.
    package init(_ record: [UInt8], in folders: ConfinedFolders) {
        var files: [String: WrittenFile] = [:]
        for line in record.split(separator: 10) {
            guard let file = try? JSONDecoder().decode(WrittenFile.self, from: Data(line)) else { continue }
            if files.count < JobFile.limit || files[file.path] != nil { files[file.path] = file }
        }
        (self.files, self.folders) = (files, folders)
    }

    /// The longest record that is read.
    static let recordLimit = 64 << 20

    /// Those that are as the job has written them.
    package func all() -> [JobFile] {
        files.values.sorted { $0.path < $1.path }.compactMap { file in
            (try? open(file.path)).flatMap { try? JobFile(file, $0) }
        }
    }

    /// A piece of the file `name`.
    /// - Throws: `CommandError` if the job has not written it, or it was changed since.
    package func piece(of name: String, at offset: Int) throws(CommandError) -> [UInt8] {
        let file = try open(name)
        do throws(ConfinedPath.Refusal) {
            return try file.bytes(at: Int64(max(0, offset)), count: JobFile.pieceSize)
        } catch {
            throw CommandError(.input, "\(name): cannot be read: \(error)")
        }
    }

    private func open(_ name: String) throws(CommandError) -> OpenDescriptor {
        guard let file = files[name], let place = folders.place(name), place.path == name else {
            throw CommandError(.input, "the job has written no file of that name")
        }
        let open: OpenDescriptor
        do throws(ConfinedPath.Refusal) {
            open = try place.open()
        } catch {
            throw CommandError(.input, "\(name): cannot be read: \(error)")
        }
        guard let status = open.status, WrittenFile(path: name, status) == file else {
            throw CommandError(.input, "\(name): was changed since the job has written it")
        }
        return open
    }
}

/// Records what this process writes for a job.
package final class OutputRecord: Sendable {
    private let file: OpenDescriptor

    /// Appends to the record at `path`, in a folder of ours.
    package init(_ path: String) throws(CommandError) {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = Foundation.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw CommandError(.output, path, errno: errno) }
        let opened = OpenDescriptor(descriptor)
        guard opened.status?.kind == .regular else { throw CommandError(.output, path, errno: EINVAL) }
        file = opened
    }

    package func add(_ written: WrittenFile) {
        // A file that is missing here is not given to others, no more.
        guard let line = try? JSONOutput.line(written) else { return }
        try? FileHandle(fileDescriptor: file.number).write(contentsOf: Data(line.utf8))
    }
}
