package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import ScanNetwork

/// `skyfarm jobs fetch` copies the outputs of a job to this machine.
extension JobsCommand {
    /// Copies the outputs of a job of another node to a folder, with names relative to their common folder. A file
    /// appears only when it is complete and its checksum is correct.
    package func fetch(_ prefix: String) async throws -> ExitCode {
        guard case .remote(let calls, let id) = try await target(prefix, substitute: .any) else {
            throw CommandError(.failure, "job \(prefix) was run on this machine: its files are where `jobs show` says")
        }
        let files = try await calls.send(ClusterRequest(.files, id: id)).files ?? []
        if files.isEmpty { throw CommandError(.failure, "job \(id) has written no file yet") }
        let names = JobFile.localNames(of: files.map(\.name))
        let folder = options.fetchFolder
        for (file, name) in zip(files, names) {
            guard JobFile.isUsable(name) else {
                throw CommandError(.failure, "\(calls.node.name): sent an unusable name of a file: \(name)")
            }
            try await copy(file, of: id, from: calls, to: (folder.hasSuffix("/") ? folder : folder + "/") + name)
        }
        let bytes = files.reduce(0) { $0.addingReportingOverflow($1.byteCount).partialValue }
        say("fetched \(HumanFormat.count(files.count, "file")), \(bytes) bytes, from \(calls.node.name)")
        return .complete
    }

    private func copy(_ file: JobFile, of id: String, from calls: NodeCalls, to path: String) async throws {
        try OutputTemplate.makeFolder(of: path)
        let output = try AtomicFile(path: path, overwrite: options.overwrites)
        var (sum, offset) = (JobFileChecksum(), 0)
        while offset < file.byteCount {
            var request = ClusterRequest(.read, id: id)
            (request.name, request.offset) = (file.name, offset)
            let piece = try await calls.send(request).bytes ?? []
            guard !piece.isEmpty else { break }
            sum.add(piece)
            try output.write(piece)
            offset += piece.count
        }
        guard offset == file.byteCount, sum.value == file.checksum else {
            throw CommandError(
                .failure, "\(file.name): changed on \(calls.node.name) while it was fetched; fetch it again")
        }
        try output.finish()
        try output.commit()
        try StandardOutput.write(path + "\n")
    }
}
