package import CommandLineKit
package import Console
import Foundation
import ImageJobs
import NodeDaemon
import ScanBasics
import ScanCluster

/// `skyfarm run` runs the steps of a file that are missing or changed.
///
/// ``StepsText`` reads the file, ``StepsFile`` its steps, ``StepRecord`` decides whether one runs, and ``StepsRun`` runs
/// it in a process of its own. Readers begin with ``run()``.
package struct StepsCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package struct Options: Equatable, Sendable {
        package var file: String
        /// Values of variables.
        package var variables: [String: String] = [:]
        package var isDryRun: Bool
        package var isFresh: Bool
        package var log: Log
        package var common: CommonOptions
        package var environment: [String: String]

        package init(_ arguments: Arguments) throws(UsageError) {
            file = arguments.positionals.first ?? ""
            for word in arguments.positionals.dropFirst() {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw UsageError("run: \(word): give a variable its value as NAME=VALUE")
                }
                variables[parts[0]] = parts[1]
            }
            isDryRun = try arguments[StepsCommand.dryRun]
            isFresh = try arguments[StepsCommand.fresh]
            log = try Log(arguments)
            common = try CommonOptions(arguments)
            environment = arguments.environment
        }
    }

    package func run() async throws -> ExitCode {
        let text = try readText(options.file) { try StepsText($0, name: options.file) }
        let steps = try StepsFile(text, name: options.file, variables: options.variables).steps
        let folder = FileManager.default.currentDirectoryPath
        guard
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: options.environment, folder: folder)
        else { throw CommandError(.failure, "run: skyfarm is not found on PATH; start it by its full name") }
        let path = AbsolutePath.of(options.file)
        let state = try StepsState(path, environment: options.environment)
        let place = (path as NSString).deletingLastPathComponent
        guard FileManager.default.changeCurrentDirectoryPath(place) else {
            throw CommandError(.input, "\(place): cannot change to the folder of the steps")
        }
        var run = StepsRun(steps, state, program: program, options)
        let report = try await run.run()
        if options.common.json {
            try StandardOutput.write(JSONOutput.document(report))
        } else if options.isDryRun {
            try StandardOutput.write(report.lines)
        }
        if !options.isDryRun { options.log.conclude("\(report.conclusion)") }
        return report.exitCode
    }

    static let dryRun = Option.toggle("dry-run", help: "Print which steps would run, and why, and exit")
    static let fresh = Option.toggle("fresh", help: "Run all steps, also those that are done")

    package static let spec = CommandSpec(
        name: "run",
        summary: "Run the steps of a file that are missing or changed",
        examples: [
            .init(line: "skyfarm run night.toml", explanation: "Run the steps of a file, each after those it needs."),
            .init(
                line: "skyfarm run night.toml night=2026-11-28 --dry-run",
                explanation: "Print what would run for another night: the value replaces that of [variables]."),
        ],
        description: [
            "The file has steps, each a [[step]] with a name, a command and the names of the steps after which it runs."
                + " A command is scan, combine, calibrate or map with arguments: an array of words, or a string, which"
                + " is split at spaces. ${NAME} is the value of a variable of [variables]; $$ is a dollar sign. Paths are"
                + " relative to the folder of the file. The format is TOML, of which only strings and arrays of strings"
                + " are used.",
            "Steps run one after the other. A step is left out if its command, the checksums of its inputs and the files"
                + " that it has written are as they were when it ended with exit code 0. One that was stopped goes on"
                + " from its journal. After a step that fails, those that need it are not run; the exit code is that of"
                + " the first one that failed.",
        ],
        arguments: [
            ArgumentSpec(name: "FILE", help: "file of the steps", isFile: true),
            ArgumentSpec(name: "NAME=VALUE", help: "value of a variable", isRequired: false, repeats: true),
        ],
        sections: [
            OptionSection(title: "Options", options: [dryRun.spec, fresh.spec, LogOptions.format.spec]),
            CommonOptions.section,
        ],
        exitCodes: Set(ExitCode.all), files: [.steps])
}

extension FileSpec {
    static let steps = FileSpec(
        variable: UserFolder.state.rawValue, fallback: "~/" + UserFolder.state.fallback, path: "skyfarm/steps/",
        help: "Records of the steps of skyfarm run: what each has read and written.")
}
