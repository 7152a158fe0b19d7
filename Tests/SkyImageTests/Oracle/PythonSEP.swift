import Foundation
import SkyTestSupport

/// Debian's python3-sep with the fixed draw preloaded: an oracle that shares no code with Skyfarm but libsep's source.
struct PythonSEP {
    static let missing = "needs a C compiler and /usr/bin/python3 with sep and astropy (Debian: gcc, python3-sep)"
    static let isPresent =
        FileManager.default.isExecutableFile(atPath: python) && FileManager.default.isExecutableFile(atPath: compiler)
        && (try? Subprocess.run(python, [script]).status) == 0

    private static let python = "/usr/bin/python3"
    private static let compiler = "/usr/bin/cc"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path() + "/"
    private static let script = folder + "whole_image.py"

    /// The catalogues of a FITS image, by mode.
    static func catalogues(of image: String, modes: [String]) throws -> [String: ReferenceCatalog] {
        let output = try TemporaryFolder()
        let library = output.path("fixed_draw.so")
        try run(compiler, ["-shared", "-fPIC", "-O2", "-o", library, folder + "fixed_draw.c"])
        try run("/usr/bin/env", ["LD_PRELOAD=\(library)", python, script, image, output.path] + modes)
        return try Dictionary(
            uniqueKeysWithValues: modes.map { ($0, try ReferenceCatalog(contentsOf: output.path("\($0).csv"))) })
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let result = try Subprocess.run(program, arguments)
        if result.status != 0 { throw AstropyPython.ScriptFailure(words: result.errors) }
    }
}
