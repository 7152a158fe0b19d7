import CommandLineKit
import ScanCluster
import Foundation
import ScanBasics
import ScanNetwork

@main
struct Skyfarm {
    static let version = ScanNetwork.Skyfarm.version
    static let software = "skyfarm \(version)"

    static let commands: [any Command.Type] = [
        ScanCommand.self, NodeCommand.self, NodesCommand.self, UpCommand.self, DownCommand.self, KeyCommand.self,
        DoctorCommand.self, JobsCommand.self,
        SubmitCommand.self, SpreadCommand.self, ViewCommand.self, SynthCommand.self, BenchCommand.self, SexCommand.self,
        HelpCommand.self,
        CompletionsCommand.self,
    ]

    static let program = ProgramSpec(
        name: "skyfarm", version: version, summary: "Scan sky images with every machine on the local network",
        examples: [
            .init(
                line: "skyfarm scan image.fits -o sources.csv",
                explanation: "Find the sources of an image and write their catalogue, with all nodes and this"
                    + " machine."),
            .init(line: "skyfarm node", explanation: "Run a node, on each further machine."),
        ],
        description: [
            "Skyfarm finds the sources of a sky image and writes one catalogue of them, the same file byte for byte"
                + " on one machine and on ten. The image is cut into bands. Each band goes to the node that is"
                + " expected to finish it first; the local machine takes part.",
            "Nodes find each other on the local network by DNS-SD. They accept work from holders of their cluster"
                + " key, and every connection is encrypted. If a node fails, hangs or leaves, the scan takes longer,"
                + " but no source is lost.",
            "Data goes to standard output, everything else to standard error. Settings come from flags, then from"
                + " environment variables, then from the settings file.",
        ],
        commands: commands.map { $0.spec }, exitCodes: ExitCode.all,
        commonExitCodes: [.complete, .failure, .usage, .output], settings: .settings,
        files: [.key, .journals, .fingerprints, .hosts])

    static func main() async {
        holdStandardStreams()
        if let problem = ProcessLimits.problem() {
            StandardError.write("skyfarm: \(problem)\n")
            end(.failure)
        }
        UserAccount.completeEnvironment()
        FreedMemory.keep()
        // A write to a closed pipe, as in `skyfarm scan … | head`, is then an error, and the command still cleans up.
        signal(SIGPIPE, SIG_IGN)
        var words = Array(CommandLine.arguments.dropFirst())
        if words.count == 2, words[0] == SpareNode.word { end(SpareNode.serve(named: words[1])) }
        let name = CommandLine.arguments.first.map(InputList.lastName) ?? ""
        if SexCommand.names.contains(name) { words.insert("sex", at: 0) }
        let code = await run(words, environment: ProcessInfo.processInfo.environment)
        end(code)
    }

    /// Ends the process without running the exit handlers of libraries. OpenSSL's handler frees memory that other threads
    /// may still use: they run attempts whose results nobody needs, or handshakes.
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

    /// Runs a command line. An error is one line on standard error. `readsSettings`: whether the settings file counts.
    static func run(
        _ words: [String], environment: [String: String], readsSettings: Bool = true
    ) async -> ExitCode {
        var log = Log(usesColor: Terminal.standardError.usesColor(.auto, environment))
        do {
            switch try request(words) {
            case .version:
                try StandardOutput.write("\(software)\n")
                return .complete
            case .help(let spec):
                return try HelpCommand.show(spec)
            case .run(let spec, var arguments):
                arguments.environment = environment
                if readsSettings, let folder = UserFolder.configuration.path(environment) {
                    arguments.file = try SettingsFile.load(folder + "/config", for: program)
                }
                log = try Log(arguments)
                guard let type = commands.first(where: { $0.spec.name == spec.name }) else {
                    throw UsageError("\(spec.name) has a table but no code")
                }
                return try await type.init(arguments).run()
            }
        } catch {
            return end(error, of: words.first ?? "", log)
        }
    }

    /// What the words ask for. The words of `sex` are SExtractor's, and are left to that command.
    private static func request(_ words: [String]) throws(UsageError) -> CommandLineParser.Request {
        let isHelp = ["--help", "-h"].contains { words.dropFirst().first == $0 }
        guard words.first == "sex", !isHelp else { return try CommandLineParser(program).parse(words) }
        var arguments = Arguments()
        arguments.words = Array(words.dropFirst())
        return .run(SexCommand.spec, arguments)
    }

    /// Writes the line about an error that ends a command, unless the reader of its output has closed the pipe.
    static func end(_ error: any Error, of command: String, _ log: Log) -> ExitCode {
        let error = CommandError(error, in: command)
        if error.code != .brokenPipe { log.write(.error, StyledText(error.description)) }
        return error.code
    }
}
