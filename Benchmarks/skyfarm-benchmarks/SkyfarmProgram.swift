import Foundation

/// The program `skyfarm` of the same build.
enum SkyfarmProgram {
    /// Where it is: beside this program.
    /// - Throws: ``BenchmarkError`` if it was not built.
    static func find() throws -> URL {
        guard let own = Bundle.main.executableURL else { throw BenchmarkError("this program does not know its place") }
        let program = own.deletingLastPathComponent().appending(path: "skyfarm")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError("\(program.path) is missing; run swift build -c release --product skyfarm")
        }
        return program
    }
}
