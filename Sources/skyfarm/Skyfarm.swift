import CommandLineKit
import ScanCluster
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

    static let program = ProgramSpec(
        name: "skyfarm", version: version, summary: "Scan sky images with every machine on the local network",
        examples: [
            .init(
                line: "skyfarm scan image.fits -o sources.csv",
                explanation: "Find the sources of an image and write their catalogue, with all nodes and this machine."),
            .init(line: "skyfarm node", explanation: "Run a node: on each machine that is to help."),
        ],
        description: [
            "Skyfarm finds the sources of a sky image and writes one catalogue of them, the same file byte for byte on one"
                + " machine and on ten. The image is cut into bands. Each band goes to the node that is expected to finish"
                + " it first; the local machine takes part.",
            "Nodes find each other on the local network by DNS-SD. They accept work from holders of their cluster key, and"
                + " every connection is encrypted. A node that fails, hangs or leaves costs time, never a source.",
            "Data goes to standard output, everything else to standard error. Settings come from flags, then from"
                + " environment variables, then from the settings file.",
        ],
        commands: commands.map { $0.spec }, exitCodes: ExitCode.all,
        commonExitCodes: [.complete, .failure, .usage, .output], settings: .settings, files: [.key, .journals])

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
            switch try CommandLineParser(program).parse(words) {
            case .version:
                try StandardOutput.write("\(software)\n")
                return .complete
            case .help(let spec):
                return try HelpCommand.show(spec)
            case .run(let spec, var arguments):
                arguments.environment = environment
                if let folder = UserFolder.configuration.path(environment) {
                    arguments.file = try SettingsFile.load(folder + "/config", for: program)
                }
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
