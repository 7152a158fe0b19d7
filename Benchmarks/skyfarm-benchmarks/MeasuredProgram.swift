import Foundation

/// A program that runs to its end, with its time and its peak memory.
///
/// A child process of this program starts it: Linux counts the memory of the process that starts a program as the
/// program's, and the child has little.
enum MeasuredProgram {
    /// First argument of the child process. A file for the usage, the program and its arguments follow.
    static let role = "run-and-measure"

    struct Usage: Codable {
        /// From the start to the end of the process.
        var seconds: Double
        /// Processor time in seconds.
        var processor: Double
        /// Peak resident memory in bytes; of a program that starts others, that of the largest process.
        var peakMemory: Double
        var status: Int32
    }

    /// Runs a program whose output and errors go to files in `folder`.
    /// - Throws: ``PeerProgram/NotInstalled``, ``BenchmarkError`` if it fails.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
    ) throws -> (usage: Usage, output: URL, errors: URL) {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw PeerProgram.NotInstalled(program: program)
        }
        let files = ["usage.json", "output", "errors"].map { folder.appending(path: $0) }
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [role, files[0].path, program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        let usage = try? JSONDecoder().decode(Usage.self, from: Data(contentsOf: files[0]))
        guard let usage, usage.status == 0 else {
            let errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self).suffix(1000)
            throw BenchmarkError("\(program) failed with status \(usage?.status ?? -1): \(errors)")
        }
        return (usage, files[1], files[2])
    }

    /// What the child process does.
    static func serve(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { throw BenchmarkError("\(role): a file and a program are needed") }
        let start = ContinuousClock.now
        let program = try StartedProgram.spawn(arguments[1], Array(arguments[2...]))
        var (status, resources) = (Int32(0), rusage())
        guard wait4(program, &status, 0, &resources) == program else { throw BenchmarkError("no such process") }
        let usage = Usage(
            seconds: (ContinuousClock.now - start).seconds, processor: resources.processorTime,
            peakMemory: resources.peakMemory, status: status)
        try JSONEncoder().encode(usage).write(to: URL(filePath: arguments[0]))
    }
}
