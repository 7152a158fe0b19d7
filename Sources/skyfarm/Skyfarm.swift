import Foundation
import ScanMemory
import ScanNetwork
import ScanSecurity
import SkyScan

@main
struct Skyfarm {
    static let version = ScanNetwork.Skyfarm.version
    static let software = "skyfarm \(version)"

    static let commands: [any Command.Type] = [
        ScanCommand.self, NodeCommand.self, NodesCommand.self, KeyCommand.self, DoctorCommand.self, JobsCommand.self,
        SynthCommand.self, BenchCommand.self, HelpCommand.self, CompletionsCommand.self,
    ]

    /// The tables of all commands.
    static var specs: [CommandSpec] { commands.map { $0.spec } }

    static func main() async {
        holdStandardStreams()
        FreedMemory.keep()
        // A reader that goes away, as in `skyfarm scan … | head`, is an error of a write, not a death by signal.
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let code = await run(words, environment: ProcessInfo.processInfo.environment)
        exit(code.rawValue)
    }

    /// Keeps files and sockets from getting the number of a standard stream that the caller has closed: data for the
    /// stream would go there. What is written to such a stream still fails.
    private static func holdStandardStreams() {
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            if descriptor > STDERR_FILENO { close(descriptor) }
            if descriptor < 0 || descriptor > STDERR_FILENO { return }
        }
    }

    /// Does what the command line asks for; errors go to standard error in one line.
    static func run(_ words: [String], environment: [String: String]) async -> ExitCode {
        var log = Log(usesColor: Terminal.standardError.usesColor(.auto, environment))
        do {
            let parser = CommandLineParser(commands: specs)
            switch try parser.parse(words) {
            case .version:
                try StandardOutput.write("skyfarm \(version)\n")
                return .complete
            case .help(let spec):
                return try HelpCommand.show(spec)
            case .run(let spec, var arguments):
                arguments.environment = environment
                arguments.file = try SettingsFile.load(environment: environment, keys: parser.settingKeys)
                log = try Log(arguments)
                guard let type = commands.first(where: { $0.spec.name == spec.name }) else {
                    throw UsageError("\(spec.name) has a table but no code")
                }
                return try await type.init(arguments).run()
            }
        } catch {
            log.write(.error, StyledText(String(describing: error), .plain))
            return exitCode(of: error)
        }
    }

    /// What an error means to the caller.
    static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is UsageError: .usage
        case let error as JournalError: error.exitCode
        case is KeyError: .authentication
        case let error as CommandError: error.code
        default: .failure
        }
    }
}
