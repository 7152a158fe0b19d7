import CommandLineKit
import Console
import Foundation
import ProgramTask
import ScanBasics

/// The log of `--joblog`: a line for each run of the program, with the columns of GNU parallel.
struct JobLog {
    private let file: OpenDescriptor
    private let path: String

    private static let header = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

    /// Opens the file, and continues it if `resumes`.
    /// - Throws: `CommandError` if it cannot be written, or has something else than such a log.
    init(_ path: String, resumes: Bool) throws(CommandError) {
        let number = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw CommandError(.output, path, errno: errno) }
        (file, self.path) = (OpenDescriptor(number), path)
        if let status = file.status, status.kind == .regular, status.size > 0 {
            guard (try? file.bytes(at: 0, count: Self.header.utf8.count)) == Array(Self.header.utf8) else {
                throw CommandError(.output, "--joblog \(path): exists already, and is no such log; name another file")
            }
            if resumes { return }
            ftruncate(number, 0)
        }
        try write(Self.header)
    }

    /// Appends a run of an item that has just ended.
    /// - Throws: `CommandError`.
    func note(_ item: PreparedItem, on system: String, _ output: ProgramOutput, now: Date = .now) throws(CommandError) {
        let (code, signal): (Int32, Int32) =
            switch output.end {
            case .exited(let code): (code, 0)
            case .signalled(let number): (0, number)
            case .stopped: (-1, 0)
            }
        let columns = [
            "\(item.task.id + 1)", system, (now.timeIntervalSince1970 - output.seconds).fixed(3),
            output.seconds.fixed(3), "\(item.byteCount)", "\(output.contents.count)", "\(code)", "\(signal)",
            item.commandLine,
        ]
        try write(columns.joined(separator: "\t") + "\n")
    }

    private func write(_ text: String) throws(CommandError) {
        let error = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file.number) }
        if let error { throw CommandError(.output, path, errno: error) }
    }
}
