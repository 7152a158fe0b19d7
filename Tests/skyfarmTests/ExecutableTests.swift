import Foundation
import Testing

@testable import skyfarm

/// The program as its callers see it: exit codes, streams, signals.
@Suite struct ExecutableTests {
    /// The built program, beside the bundle of the tests.
    static let program = Bundle.main.bundleURL.appendingPathComponent("skyfarm")

    struct Run {
        var process = Process()
        var output = Pipe()
        var error = Pipe()

        init(_ words: [String]) throws {
            process.executableURL = program
            process.arguments = words
            process.standardOutput = output
            process.standardError = error
            try process.run()
        }

        func finish() -> (code: Int32, output: String, error: String) {
            let text = { (pipe: Pipe) in
                String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
            let result = (text(output), text(error))
            process.waitUntilExit()
            return (process.terminationStatus, result.0, result.1)
        }
    }

    @Test("help is data: it goes to standard output and the exit code is 0")
    func help() throws {
        let result = try Run(["synth", "--help"]).finish()
        #expect(result.code == 0 && result.error.isEmpty)
        #expect(result.output == SynthCommand.spec.helpText(width: 80))
    }

    @Test("an error is one line on standard error, and nothing on standard output")
    func error() throws {
        let result = try Run(["scan", "a.fits", "--thresold", "3"]).finish()
        #expect(result.code == 2 && result.output.isEmpty)
        #expect(
            result.error
                == "skyfarm: unknown flag --thresold; did you mean --threshold? (see skyfarm scan --help)\n")
    }

    @Test("a signal ends the work in order, with its exit code and no file left", arguments: Interrupts.Signal.allCases)
    func signals(signal: Interrupts.Signal) throws {
        let folder = try SynthCommandTests.Folder()
        let words = ["--size", "2000x100000", "--density", "0", "--progress", "json"]
        let run = try Run(["synth", folder.path("a.fits")] + words)
        // The first event says that the signals are taken over.
        let first = run.error.fileHandleForReading.availableData
        #expect(!first.isEmpty)
        kill(run.process.processIdentifier, signal.rawValue)
        let result = run.finish()
        #expect(result.code == signal.exitCode.rawValue)
        #expect(result.error.hasSuffix("skyfarm: synth: stopped, nothing was written\n"))
        #expect(folder.names.isEmpty)
    }
}
