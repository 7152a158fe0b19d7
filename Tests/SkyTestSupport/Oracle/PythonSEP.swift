internal import Foundation

/// Debian's python3-sep with the fixed draw and the kernel's elementary functions preloaded: an oracle that shares no
/// other code with Skyfarm.
package enum PythonSEP {
    package static let missing =
        "needs a C compiler and /usr/bin/python3 with sep and astropy (Debian: gcc, python3-sep)"
    package static let isPresent =
        FileManager.default.isExecutableFile(atPath: python) && FileManager.default.isExecutableFile(atPath: compiler)
        && (try? Subprocess.run(python, [script]).status) == 0

    private static let python = "/usr/bin/python3"
    private static let compiler = "/usr/bin/cc"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().path()
    private static let script = folder + "whole_image.py"

    /// The catalogues of a FITS image, by mode: `scalar`, `conv` or `matched`.
    package static func catalogues(of image: String, modes: [String]) throws -> [String: ReferenceCatalog] {
        let output = try TemporaryFolder()
        try makeCatalogues(of: [image], modes: modes, in: output)
        return try Dictionary(uniqueKeysWithValues: modes.map { ($0, try catalogue(of: image, mode: $0, in: output)) })
    }

    /// Makes the catalogues of FITS images with different names, in one process.
    static func makeCatalogues(of images: [String], modes: [String], in output: TemporaryFolder) throws {
        let library = output.path("fixed_draw.so")
        let functions = folder + "../../../Sources/CLibraries/CElementary/"
        let sources =
            ["fixed_draw", "functions"].map { folder + "../../CSEP/\($0).c" }
            + ["angles", "exponentials", "wide", "wide_functions"].map { "\(functions)\($0).c" }
        let flags = ["-shared", "-fPIC", "-O2", "-ffp-contract=off", "-fno-builtin"]
        let headers = [functions + "include", functions + "../CNumbers/include", folder + "../../CSEP/include"]
            .flatMap { ["-I", $0] }
        try run(compiler, flags + headers + ["-o", library] + sources + ["-ldl", "-lm"])
        try run(
            "/usr/bin/env",
            ["LD_PRELOAD=\(library)", python, script, output.path, modes.joined(separator: ",")] + images)
    }

    /// One of the catalogues that were made.
    static func catalogue(of image: String, mode: String, in output: TemporaryFolder) throws -> ReferenceCatalog {
        try ReferenceCatalog(contentsOf: output.path("\(URL(filePath: image).lastPathComponent).\(mode).csv"))
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let result = try Subprocess.run(program, arguments)
        if result.status != 0 { throw ScriptFailure(words: result.errors) }
    }
}
