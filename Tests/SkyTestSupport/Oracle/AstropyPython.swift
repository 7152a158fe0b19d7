internal import Foundation

/// A Python that has astropy, the independent reader of what is read and written here.
package enum AstropyPython {
    package static let absent = "needs python3 with astropy: install python3-astropy or set SKYFARM_PYTHON"
    package static let isPresent = process != nil

    private static let process: ScriptProcess? = {
        let named = ProcessInfo.processInfo.environment["SKYFARM_PYTHON"]
        let candidates =
            named.map { [$0] } ?? ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        return candidates.lazy.compactMap(ScriptProcess.init).first
    }()

    /// Runs a script, which may be `-c` and its text, and returns what it prints.
    package static func run(_ script: [String], input: String = "") throws -> String {
        guard let process else { throw ScriptFailure(words: absent) }
        let result = try process.run(script, input: input)
        guard result.status == 0 else { throw ScriptFailure(words: result.errors) }
        return result.output
    }
}

/// The process of `astropy_scripts.py`, which runs one script at a time. It ends with this one.
private final class ScriptProcess: @unchecked Sendable {
    // Unchecked: the lock is held where they are used.
    private let lock = NSLock()
    private let process = Process()
    private let (requests, answers) = (Pipe(), Pipe())

    private struct Request: Encodable {
        var words: [String]
        /// Standard input, output and error.
        var files: [String]
    }

    /// Nil if `python` cannot be run or has no astropy.
    init?(python: String) {
        process.executableURL = URL(fileURLWithPath: python)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        process.arguments = [folder.appendingPathComponent("astropy_scripts.py").path]
        (process.standardInput, process.standardOutput) = (requests, answers)
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        // So that its end is the end of the file.
        try? answers.fileHandleForWriting.close()
        guard line() == "ready" else { return nil }
    }

    func run(_ words: [String], input: String) throws -> (status: Int32, output: String, errors: String) {
        try Subprocess.withFiles(input: input) { files in
            let request = try JSONEncoder().encode(Request(words: words, files: files))
            let status = try lock.withLock {
                try requests.fileHandleForWriting.write(contentsOf: request + Data("\n".utf8))
                return line()
            }
            guard let status, let status = Int32(status) else { throw ScriptFailure(words: "python3 has ended") }
            return status
        }
    }

    /// The next line that the process prints; nil if it has ended.
    private func line() -> String? {
        var text = ""
        while let byte = try? answers.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            if byte == UInt8(ascii: "\n") { return text }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return nil
    }
}
