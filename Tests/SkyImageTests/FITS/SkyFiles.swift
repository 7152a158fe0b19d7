import Foundation

@testable import SkyImage

/// The real images of the test data, which are no part of this repository.
enum SkyFiles {
    static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["SKYFARM_TEST_DATA"] { return named }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.appendingPathComponent("../shared/sky").standardized.path
    }()

    static let absent = "needs the sky images: set SKYFARM_TEST_DATA to their folder"
    static let arePresent = FileManager.default.fileExists(atPath: folder + "/dss_i16_tan.fits")

    static func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// A Python that has astropy, the independent reader of what is read and written here.
enum AstropyPython {
    static let absent = "needs python3 with astropy: install python3-astropy or set SKYFARM_PYTHON"
    static let path: String? = {
        let named = ProcessInfo.processInfo.environment["SKYFARM_PYTHON"]
        let candidates =
            named.map { [$0] } ?? ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        return candidates.first { path in
            FileManager.default.isExecutableFile(atPath: path)
                && (try? Subprocess.run(path, ["-c", "import astropy.io.fits"]).status) == 0
        }
    }()

    /// Runs a script with text on its standard input, and returns what it prints.
    static func run(_ script: [String], input: String = "") throws -> String {
        guard let path else { throw CocoaError(.fileNoSuchFile) }
        let result = try Subprocess.run(path, script, input: input)
        guard result.status == 0 else { throw ScriptFailure(words: result.errors) }
        return result.output
    }

    struct ScriptFailure: Error { var words: String }
}

/// Runs another program until it exits.
enum Subprocess {
    static func run(
        _ path: String, _ arguments: [String], input: String = ""
    ) throws -> (status: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        let files = try ["in", "out", "err"].map { name in
            let file = folder.path(name)
            try Data(name == "in" ? Array(input.utf8) : []).write(to: URL(fileURLWithPath: file))
            return file
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle(forReadingAtPath: files[0])
        process.standardOutput = FileHandle(forWritingAtPath: files[1])
        process.standardError = FileHandle(forWritingAtPath: files[2])
        try process.run()
        process.waitUntilExit()
        return (
            process.terminationStatus, try String(contentsOfFile: files[1], encoding: .utf8),
            try String(contentsOfFile: files[2], encoding: .utf8)
        )
    }
}

/// A temporary folder for one test, removed with the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "skyimage-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
