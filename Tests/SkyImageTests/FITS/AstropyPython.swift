import Foundation
import SkyTestSupport

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
}
