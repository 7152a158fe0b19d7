package import CommandLineKit
import ScanNetwork

/// Name and version of this program in the headers of catalogues, pages and reports.
package enum Software {
    package static let version = Skyfarm.version
    package static let name = "skyfarm \(version)"
}

extension ProgramSpec {
    /// Returns the program with these commands.
    package static func skyfarm(_ commands: [CommandSpec]) -> ProgramSpec {
        ProgramSpec(
            name: "skyfarm", version: Software.version,
            summary: "Scan sky images with every machine on the local network",
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
            commands: commands, exitCodes: ExitCode.all,
            commonExitCodes: [.complete, .failure, .usage, .output], settings: .settings,
            files: [.key, .journals, .fingerprints, .hosts])
    }
}

extension Command {
    /// Parses the words that follow the command's name.
    /// - Throws: `UsageError` if the words are not valid for the command, or ask for help.
    package static func arguments(_ words: [String]) throws(UsageError) -> Arguments {
        guard case .run(_, let arguments) = try CommandLineParser(.skyfarm([spec])).parse([spec.name] + words) else {
            throw UsageError("\(spec.name): --help and --version cannot be used here")
        }
        return arguments
    }

    /// Runs the command with the words that follow its name. Writes an error as one line to standard error; a request
    /// for help counts as an error.
    /// - Parameters:
    ///   - words: the words that follow the command's name.
    ///   - environment: the variables of the process.
    ///   - settings: the settings file; an empty one if none applies.
    /// - Returns: the exit code of the command, or of its error.
    package static func run(
        _ words: [String], _ environment: [String: String], _ settings: SettingsFile
    ) async -> ExitCode {
        var log = Log(usesColor: Terminal.standardError.usesColor(.auto, environment))
        do {
            var arguments = try Self.arguments(words)
            (arguments.environment, arguments.file) = (environment, settings)
            log = try Log(arguments)
            return try await Self(arguments).run()
        } catch {
            return log.end(error, of: spec.name)
        }
    }
}

extension Log {
    /// Writes the message of an error that ends a command, unless the reader of the output has closed the pipe.
    package func end(_ error: any Error, of command: String) -> ExitCode {
        let excerpt = (error as? UsageError)?.excerpt
        let error = CommandError(error, in: command)
        if error.code != .brokenPipe { write(.error, StyledText(error.description)) }
        if let excerpt, isForPeople { StandardError.write(excerpt + "\n") }
        return error.code
    }
}
