import CommandLineKit
import Console
import Foundation
import ImageJobs
import ScanBasics
import TaskJournal

/// The state of the runs of a file of steps: a record of each step, and the files that it has written.
final class StepsState {
    private let folder: String
    private let lock: OpenDescriptor

    /// Opens the folder for the steps of the file at `path`.
    /// - Throws: `CommandError` if it cannot be used, or another process runs these steps.
    init(_ path: String, environment: [String: String]) throws {
        guard let base = UserFolder.state.path(environment) else {
            throw CommandError(.output, "run: no folder for what is done: set HOME or XDG_STATE_HOME")
        }
        if let reason = UserFolder.distrust(base) { throw CommandError(.output, reason) }
        let identity = Array(AbsolutePath.of(path).utf8).withUnsafeBytes(Checksum.of)
        let folder = "\(base)/steps/\(String(identity, radix: 16))"
        self.folder = folder
        try failing(.output, about: folder) {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Children inherit it: a step whose starter was killed holds the lock until it ends.
        let number = open(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw CommandError(.output, folder + "/lock", errno: errno) }
        lock = OpenDescriptor(number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandError(
                .failure,
                "run: another process runs the steps of \(path), or a step of a run that was killed; wait for it"
            )
        }
    }

    private func name(_ step: String) -> String {
        folder + "/" + String(Array(step.utf8).withUnsafeBytes(Checksum.of), radix: 16)
    }

    /// The file in which a step records what it writes.
    func written(_ step: String) -> String { name(step) + ".written" }

    /// Whether a run of the step has written a file.
    func hasWritten(_ step: String) -> Bool { (FileStatus(path: written(step))?.size ?? 0) > 0 }

    /// The record of the last run; nil if there is none.
    func record(_ step: String) -> StepRecord? {
        FileManager.default.contents(atPath: name(step) + ".json")
            .flatMap { try? JSONDecoder().decode(StepRecord.self, from: $0) }
    }

    /// Writes a record so that the file is complete even after a crash.
    /// - Throws: `OutputError`.
    func write(_ record: StepRecord, of step: String) throws {
        let file = try AtomicFile(path: name(step) + ".json", overwrite: true)
        try file.write(Array(try JSONOutput.line(record).utf8))
        try file.commit()
    }

    /// The files that the step has written and that have not changed since.
    func outputs(_ step: String) -> [WrittenFile] {
        var files: [String: WrittenFile] = [:]
        for file in OutputRecord.files(Array(FileManager.default.contents(atPath: written(step)) ?? Data())) {
            files[file.path] = file
        }
        return files.values.filter { StepRecord.file($0.path) == $0 }.sorted { $0.path < $1.path }
    }
}
