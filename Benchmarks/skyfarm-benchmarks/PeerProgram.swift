import Foundation

/// Runs the programs with which Skyfarm is compared.
enum PeerProgram {
    /// The folder of their drivers and settings.
    static let drivers = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "peers")

    /// The command that installs them.
    static let installer = "Benchmarks/peers/install"

    /// A program is not installed.
    struct NotInstalled: Error, CustomStringConvertible {
        var program: String
        var description: String { "\(program) is missing; run \(PeerProgram.installer), or add --no-peers" }
    }

    /// A driver's exit code if its program is not installed.
    private static let notInstalled: Int32 = 69

    /// Runs a program to its end.
    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: its arguments.
    ///   - folder: its working directory.
    /// - Returns: its standard output.
    /// - Throws: ``NotInstalled``, ``BenchmarkError`` if it fails.
    static func run(_ program: String, _ arguments: [String], in folder: URL) throws -> Data {
        guard FileManager.default.isExecutableFile(atPath: program) else { throw NotInstalled(program: program) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.currentDirectoryURL = folder
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0: return bytes
        case notInstalled: throw NotInstalled(program: arguments.first ?? program)
        case let status: throw BenchmarkError("\(program) \(arguments.first ?? "") failed with \(status)")
        }
    }
}
