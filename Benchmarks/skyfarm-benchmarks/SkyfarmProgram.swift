import Foundation

/// The program `skyfarm` of the same build.
enum SkyfarmProgram {
    /// Its path, beside this program.
    /// - Throws: ``BenchmarkError`` if it was not built.
    static func find() throws -> URL {
        guard let own = Bundle.main.executableURL else { throw BenchmarkError("the path of this program is unknown") }
        let program = own.deletingLastPathComponent().appending(path: "skyfarm")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError("\(program.path) is missing; run swift build -c release --product skyfarm")
        }
        return program
    }
}
