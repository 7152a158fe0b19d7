import skyfarm
import CommandLineKit
import Foundation
import Testing

import Console
import ImageScanning

/// The program as its callers see it: exit codes, streams, signals.
@Suite struct ExecutableTests {
    @Test("help is data: it goes to standard output and the exit code is 0")
    func help() throws {
        let result = try Program.run(["synth", "--help"])
        #expect(result.code == 0 && result.errors.isEmpty)
        #expect(result.output == Skyfarm.program.helpText(of: SynthCommand.spec, width: 80))
    }

    @Test("help is a command: of all, of one, and of itself")
    func helpCommand() throws {
        #expect(try Program.run(["help"]).output == Skyfarm.program.helpText(width: 80))
        #expect(try Program.run(["help", "scan"]).output == Skyfarm.program.helpText(of: ScanCommand.spec, width: 80))
        #expect(try Program.run(["help", "help"]).output == Skyfarm.program.helpText(of: HelpCommand.spec, width: 80))
        let unknown = try Program.run(["help", "scna"])
        #expect(unknown.code == 2)
        #expect(unknown.errors == "skyfarm: unknown command \"scna\"; did you mean scan? (see skyfarm --help)\n")
    }

    @Test("an error is one line on standard error, and nothing on standard output")
    func error() throws {
        let result = try Program.run(["scan", "a.fits", "--thresold", "3"])
        #expect(result.code == 2 && result.output.isEmpty)
        #expect(
            result.errors
                == "skyfarm: unknown flag --thresold; did you mean --threshold? (see skyfarm scan --help)\n")
    }

    @Test("a signal ends the work in order, with its exit code and no file left", arguments: Interrupts.Signal.allCases)
    func signals(signal: Interrupts.Signal) throws {
        let folder = try SynthCommandTests.Folder()
        let words = ["--size", "2000x100000", "--density", "0", "--progress", "json"]
        let program = try Program(["synth", folder.path("a.fits")] + words)
        // The first event says that the signals are taken over.
        try program.waitForErrors(#""event":"#)
        program.send(signal.rawValue)
        let result = try program.finish()
        #expect(result.code == signal.exitCode.rawValue)
        #expect(result.errors.hasSuffix("skyfarm: synth: stopped; nothing was written\n"))
        #expect(folder.names.isEmpty)
    }
}
