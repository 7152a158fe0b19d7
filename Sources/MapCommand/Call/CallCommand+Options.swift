package import CommandLineKit
package import Console
import ProgramTask
import ScanBasics
package import ScanCluster

extension CallCommand {
    package struct Options: Equatable, Sendable {
        /// `MODULE.NAME`.
        package var function: String
        /// File with the values; nil for standard input.
        package var file: String?
        /// Whether values and results have the form of the Python package, not that of lines.
        package var usesFrames: Bool
        package var journal: String?
        /// How often a failed item is tried again.
        package var retries: Int
        package var timeout: Duration?
        package var maxAttempts: Int
        package var cpus: Int
        package var memory: Int?
        package var modules: PythonOptions
        package var cluster: ClusterOptions
        package var dashboard: SocketAddress?
        package var log: Log
        package var common: CommonOptions
        package var environment: [String: String]

        package init(_ arguments: Arguments) throws(UsageError) {
            let words = arguments.positionals
            guard let first = words.first else {
                throw UsageError("call: name a function: skyfarm call MODULE.NAME [FILE]")
            }
            guard PythonName.module(of: first) != nil else {
                throw UsageError(
                    "call: \(first) is not the name of a function, as in pipeline.reduce; names that begin with _ cannot"
                        + " be called")
            }
            (function, file) = (first, words.dropFirst().first.flatMap { $0 == "-" ? nil : $0 })
            usesFrames = try arguments[CallCommand.frames]
            journal = try arguments[CallCommand.journal]
            retries = try arguments[MapCommand.retry]
            timeout = try arguments[MapCommand.timeout]
            maxAttempts = try arguments[MapCommand.maxAttempts]
            cpus = try arguments[CallCommand.cpus]
            memory = try arguments[CallCommand.memory]
            modules = try PythonOptions(arguments, CallCommand.localPython)
            cluster = try ClusterOptions(arguments)
            dashboard = try arguments[DashboardOption.option]
            log = try Log(arguments)
            common = try CommonOptions(arguments)
            environment = arguments.environment
        }

        /// Name of the module of the function.
        package var module: String { PythonName.module(of: function) ?? function }

        /// Whether this machine calls the function, too.
        package var isLocal: Bool { modules.modules.contains { $0.name == module } }
    }

    static let frames = Option.toggle(
        "frames", help: "Read values and write results in the form of the Python package, with arrays")
    static let journal = Option.optional(
        "journal", .file(.writes),
        help: "Keep the results in this file; the same command with it calls the function only for values without one")
    static let cpus = Option.value(
        "cpus", .integer("N", 1...1024), default: 1, help: "Slots that a call takes")
    static let memory = Option.optional(
        "memory", .bytes, fallback: "little",
        help: "Memory that a call needs: it goes only where so much is not given to others")
    static let localPython = Option.list(
        "local-python", .pythonModule, layers: .all,
        help: "Call functions of the module at PATH on this machine's slots, too")

    package static let spec = CommandSpec(
        name: "call",
        summary: "Call a Python function of the nodes' owners for many values",
        examples: [
            .init(
                line: "skyfarm call pipeline.reduce values.ndjson >results.ndjson",
                explanation: "Call the function reduce of the module that nodes have as pipeline for the value in each"
                    + " line. On the nodes: skyfarm node --python pipeline=/opt/pipeline"),
            .init(
                line: "skyfarm call pipeline.reduce --local-python pipeline=/opt/pipeline --journal reduce.journal -",
                explanation: "Call it on this machine as well, for the lines of standard input, and keep the results:"
                    + " after a crash the same command goes on."),
        ],
        description: [
            "Each line is a value in JSON, and the function gets it as its argument. For each there is a line on standard"
                + " output, in the same order: {\"value\":...} with what the function has returned, or"
                + " {\"error\":...,\"trace\":[...]} with the last lines of its traceback. skyfarm.map of the Python"
                + " package calls functions with arrays as well.",
            "Workers stay alive between calls, so that the module is imported once. A call that ends its worker, takes"
                + " longer than --timeout or exceeds a limit of the owner fails alone. What it prints is shown with -v."
                + " Failed items are named, and the exit code is 23.",
        ],
        arguments: [
            ArgumentSpec(
                name: "MODULE.NAME", help: "the function; owners give its module away by skyfarm node --python"),
            ArgumentSpec(
                name: "FILE", help: "file with a value in each line; - or none is standard input", isRequired: false,
                isFile: true),
        ],
        sections: [
            OptionSection(title: "Values and results", options: [journal.spec, frames.spec]),
            OptionSection(
                title: "Failures",
                options: [MapCommand.retry.spec, MapCommand.timeout.spec, MapCommand.maxAttempts.spec]),
            OptionSection(
                title: "Nodes",
                options: [cpus.spec, memory.spec] + ClusterOptions.options + [localPython.spec]
                    + ProgramOptions.limitOptions + [DashboardOption.option.spec, LogOptions.format.spec]),
            CommonOptions.section,
        ],
        exitCodes: [
            .noUsableNode, .authentication, .input, .output, .partialCatalogue, .interrupted, .terminated,
        ],
        files: [.key])
}
