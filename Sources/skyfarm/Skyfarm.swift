import CalibrationCommand
package import CommandLineKit
package import Console
import Foundation
import ImageJobs
import ImageScanning
import MapCommand
import NodeDaemon
import ProgramTask
import SExtractorCommand
import ScanBasics
import ScanBench
import ScanCluster
import ScanFleet
import ScanNetwork
import StepsCommand

/// The program: it selects the command that the arguments name, runs it, and exits with its code.
///
/// ``main()`` prepares the process: standard streams, limits, environment and signals. ``run(_:environment:)`` parses
/// the arguments against ``program``, the table of all commands and options, adds the settings of the user's
/// configuration file, and creates the command's type from the result. Each command is a type of ``commands``, most of
/// them in other targets; a reader who follows a command begins with its `run()`.
@main
package struct Skyfarm {
    package static let commands: [any Command.Type] = [
        ScanCommand.self, NodeCommand.self, NodesCommand.self, UpCommand.self, DownCommand.self, KeyCommand.self,
        DoctorCommand.self, JobsCommand.self,
        SubmitCommand.self, StepsCommand.self, SpreadCommand.self, MapCommand.self, CallCommand.self, ViewCommand.self,
        SynthCommand.self,
        BenchCommand.self,
        SexCommand.self, CombineCommand.self, CalibrateCommand.self, HelpCommand.self,
        CompletionsCommand.self,
    ]

    package static let program = ProgramSpec.skyfarm(commands.map { $0.spec })

    package static func main() async {
        if CommandLine.argc == 2, CommandLine.arguments[1] == ProgramHost.word { exit(ProgramHost.supervise()) }
        holdStandardStreams()
        if let problem = ProcessLimits.problem() {
            StandardError.write("skyfarm: \(problem)\n")
            end(.failure)
        }
        UserAccount.completeEnvironment()
        FreedMemory.keep()
        // A write to a closed pipe, as in `skyfarm scan … | head`, then fails with an error, and the command can still
        // clean up.
        signal(SIGPIPE, SIG_IGN)
        var words = Array(CommandLine.arguments.dropFirst())
        if words.count == 2, words[0] == SpareNode.word { end(SpareNode.serve(named: words[1])) }
        let name = CommandLine.arguments.first.map(InputList.lastName) ?? ""
        if SexCommand.names.contains(name) { words.insert("sex", at: 0) }
        let code = await run(words, environment: ProcessInfo.processInfo.environment)
        end(code)
    }

    /// Exits without running the exit handlers of libraries. OpenSSL's handler frees memory that other threads may
    /// still use for abandoned attempts or handshakes.
    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        _exit(code.rawValue)
    }

    /// Opens /dev/null in place of standard streams that the caller has closed, so that no file or socket gets their
    /// descriptors. It is opened for reading, so that writes still fail.
    private static func holdStandardStreams() {
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            if descriptor > STDERR_FILENO { close(descriptor) }
            if descriptor < 0 || descriptor > STDERR_FILENO { return }
        }
    }

    /// Runs a command line. Errors are reported in one line on standard error.
    package static func run(_ words: [String], environment: [String: String]) async -> ExitCode {
        var log = Log(usesColor: Terminal.standardError.usesColor(.auto, environment))
        do {
            switch try request(words) {
            case .version:
                try StandardOutput.write("\(Software.name)\n")
                return .complete
            case .help(let spec):
                return try HelpCommand.show(spec)
            case .run(let spec, var arguments):
                arguments.environment = environment
                if let folder = UserFolder.configuration.path(environment) {
                    arguments.file = try SettingsFile.load(folder + "/config", for: program)
                }
                log = try Log(arguments)
                if let path = environment[OutputRecord.variable] { _ = try OutputRecord.begin(path) }
                guard let type = commands.first(where: { $0.spec.name == spec.name }) else {
                    throw UsageError("\(spec.name) has a table but no code")
                }
                return try await type.init(arguments).run()
            }
        } catch {
            return log.end(error, of: words.first ?? "")
        }
    }

    /// Parses the words. The arguments of `sex`, which have SExtractor's syntax, and those of a command that is
    /// submitted are left to their commands.
    package static func request(_ words: [String]) throws(UsageError) -> CommandLineParser.Request {
        let isHelp = ["--help", "-h"].contains { words.dropFirst().first == $0 }
        var arguments = Arguments()
        arguments.words = Array(words.dropFirst())
        if words.first == "sex", !isHelp { return .run(SexCommand.spec, arguments) }
        if words.first == "submit", let (_, rest) = SubmitCommand.verb(in: arguments.words) {
            // The command that is submitted has options of its own.
            return ["--help", "-h"].contains(rest.first ?? "")
                ? .help(SubmitCommand.spec) : .run(SubmitCommand.spec, arguments)
        }
        return try CommandLineParser(program).parse(words)
    }
}
