internal import Foundation

/// Runs another program until it exits.
package enum Subprocess {
    package static func run(
        _ path: String, _ arguments: [String], input: String = ""
    ) throws -> (status: Int32, output: String, errors: String) {
        try withFiles(input: input) { files in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            process.standardInput = FileHandle(forReadingAtPath: files[0])
            process.standardOutput = FileHandle(forWritingAtPath: files[1])
            process.standardError = FileHandle(forWritingAtPath: files[2])
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Calls `body` with the names of the files that are a program's standard input, output and error; it returns the
    /// program's exit status.
    static func withFiles(
        input: String, _ body: ([String]) throws -> Int32
    ) throws -> (status: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        let files = try ["in", "out", "err"].map { name in
            try folder.write(name == "in" ? Array(input.utf8) : [], name)
        }
        let status = try body(files)
        return (
            status, try String(contentsOfFile: files[1], encoding: .utf8),
            try String(contentsOfFile: files[2], encoding: .utf8)
        )
    }
}

/// What a script that failed printed.
package struct ScriptFailure: Error {
    package var words: String
    package init(words: String) { self.words = words }
}
