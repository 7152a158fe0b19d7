package import CommandLineKit
import Console
import Foundation
package import ScanBasics

/// Files that a job has written, as recorded by its process. Files that a job only names are not included.
package struct JobOutputs: Sendable {
    /// Files by path, each with its last recorded state.
    private let files: [String: WrittenFile]
    /// Folders below which the files must be.
    private let folders: ConfinedFolders

    /// Parses the record of a job, which has one line per file. An incomplete line is ignored.
    /// - Parameters:
    ///   - record: bytes of the record.
    ///   - folders: folders in which jobs may write.
    package init(_ record: [UInt8], in folders: ConfinedFolders) {
        var files: [String: WrittenFile] = [:]
        for file in OutputRecord.files(record) {
            if files.count < JobFile.limit || files[file.path] != nil { files[file.path] = file }
        }
        (self.files, self.folders) = (files, folders)
    }

    /// Maximum number of bytes of a record that are read.
    static let recordLimit = 64 << 20

    /// Returns the files that are unchanged since the job wrote them.
    package func all() -> [JobFile] {
        files.values.sorted { $0.path < $1.path }.compactMap { file in
            (try? open(file.path)).flatMap { try? JobFile(file, $0) }
        }
    }

    /// Returns a piece of the file `name`.
    /// - Throws: `CommandError` if the job did not write the file, or it was changed since then.
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

/// Records the files that this process writes for a job.
package final class OutputRecord: Sendable {
    private let file: OpenDescriptor

    /// Environment variable by which a process is told to record the files that it writes, with the path of the record.
    package static let variable = "SKYFARM_WRITTEN_FILES"

    /// Opens the record at `path`, in a private folder, for appending.
    package init(_ path: String) throws(CommandError) {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = Foundation.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw CommandError(.output, path, errno: errno) }
        let opened = OpenDescriptor(descriptor)
        guard opened.status?.kind == .regular else { throw CommandError(.output, path, errno: EINVAL) }
        file = opened
    }

    /// Records what this process, a run of a job, writes from now on, and lets it replace what earlier runs have written.
    /// - Returns: whether there is such a file.
    /// - Throws: `CommandError` if the record cannot be written.
    package static func begin(_ path: String) throws(CommandError) -> Bool {
        let record = try OutputRecord(path)
        let files = Self.files(PrivateFolder.bytes(path, limit: .max) ?? [])
        ProcessFiles.own(Set(files))
        ProcessFiles.record { record.add($0) }
        return !files.isEmpty
    }

    /// The files of a record, which has one line per file, in the order in which they were written. An incomplete line is
    /// ignored.
    package static func files(_ record: [UInt8]) -> [WrittenFile] {
        let decoder = JSONDecoder()
        return record.split(separator: 10).compactMap { try? decoder.decode(WrittenFile.self, from: Data($0)) }
    }

    package func add(_ written: WrittenFile) {
        // Errors are ignored, since their only consequence is that other machines cannot fetch the file.
        guard let line = try? JSONOutput.line(written) else { return }
        try? FileHandle(fileDescriptor: file.number).write(contentsOf: Data(line.utf8))
    }
}
