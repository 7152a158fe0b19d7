package import CommandLineKit
package import Console
import Foundation
package import ProgramTask
package import ScanCluster

extension MapCommand {
    package struct Options: Equatable, Sendable {
        /// Name of the program.
        package var program: String
        /// Words for the program, as templates.
        package var arguments: [ProgramTemplate]
        /// Files, folders, patterns and lists.
        package var inputs: [String]
        /// List with an item in each line.
        package var items: String?
        package var output: MapDestination
        package var outputs: [ProgramTemplate]
        package var collects: Bool
        package var companions: [ProgramTemplate]
        package var shared: [String]
        package var batch: Int
        package var okCodes: [Int32]
        /// How often a failed item is tried again.
        package var retries: Int
        /// Exit codes after which it is; nil for all failures.
        package var retryCodes: [Int32]?
        /// Number of failed items after which the run stops; nil for none.
        package var mostFailures: Int?
        package var timeout: Duration?
        package var maxAttempts: Int
        /// Slots, and processors, of a task.
        package var cpus: Int
        /// Bytes of memory of a task; nil if it needs little.
        package var memory: Int?
        package var jobLog: String?
        package var resumes: Bool
        package var overwrites: Bool
        /// Whether any file with the name of a result is replaced. A run of a job knows which files are its own.
        var replaces: Bool { overwrites || resumes && !ProcessFiles.knowsOwn }
        package var isDryRun: Bool
        package var hedges: Bool
        package var programs: ProgramOptions
        package var cluster: ClusterOptions
        package var dashboard: SocketAddress?
        package var log: Log
        package var common: CommonOptions
        package var environment: [String: String]

        package init(_ arguments: Arguments) throws(UsageError) {
            let words = try MapWords(arguments)
            program = words.program
            self.arguments = try words.arguments.map(MapCommand.template)
            inputs = words.inputs
            items = try arguments[MapCommand.items]
            output = try MapDestination(try arguments[MapCommand.output])
            outputs = try arguments[MapCommand.outputs].map(MapCommand.template)
            collects = try arguments[MapCommand.collect]
            companions = try arguments[MapCommand.companions].map(MapCommand.template)
            shared = try arguments[MapCommand.shared]
            batch = try arguments[MapCommand.batch]
            okCodes = try arguments[MapCommand.okCodes] ?? [0]
            retries = try arguments[MapCommand.retry]
            retryCodes = try arguments[MapCommand.retryOn]
            mostFailures = try arguments[MapCommand.failFast] ? 1 : arguments[MapCommand.maxFailures]
            timeout = try arguments[MapCommand.timeout]
            maxAttempts = try arguments[MapCommand.maxAttempts]
            cpus = try arguments[MapCommand.cpus]
            memory = try arguments[MapCommand.memory]
            jobLog = try arguments[MapCommand.jobLog]
            resumes = try arguments[MapCommand.resume]
            overwrites = try arguments[MapCommand.overwrite]
            isDryRun = try arguments[MapCommand.dryRun]
            hedges = try arguments[MapCommand.hedge]
            programs = try ProgramOptions(arguments, MapCommand.localProgram)
            cluster = try ClusterOptions(arguments)
            dashboard = try arguments[DashboardOption.option]
            log = try Log(arguments)
            common = try CommonOptions(arguments)
            environment = arguments.environment
            try check()
        }

        private func check() throws(UsageError) {
            if inputs.isEmpty == (items == nil) {
                throw UsageError(
                    inputs.isEmpty
                        ? "map: name the inputs after --, as in -- *.fits, or a list with --items FILE"
                        : "map: --items takes the place of inputs after --; give one of the two")
            }
            if resumes, output == .standardOutput {
                throw UsageError("map: --resume needs files: name a folder by -o FOLDER/, not -o -")
            }
            if common.json, !isDryRun, output == .standardOutput {
                throw UsageError(
                    "map: --json writes to standard output: name a folder for the results by -o FOLDER/")
            }
            if !ProgramPath.isProgramName(program) {
                throw UsageError(
                    "map: \(program) is not the name of a program; owners give names by skyfarm node --program NAME=PATH"
                )
            }
        }

        /// Whether this machine runs the program, too.
        package var isLocal: Bool { programs.programs.contains { $0.name == program } }
    }

    /// - Throws: `UsageError` if a field is unknown.
    static func template(_ text: String) throws(UsageError) -> ProgramTemplate {
        do throws(ProgramRefusal) {
            return try ProgramTemplate(text)
        } catch {
            throw UsageError("map: \(error)")
        }
    }
}

/// The words of the command line that are no flags of Skyfarm: `NAME [ARGUMENT…] [-- [ARGUMENT… --] INPUT…]`.
struct MapWords {
    var program: String
    var arguments: [String]
    var inputs: [String] = []

    init(_ arguments: Arguments) throws(UsageError) {
        let end = arguments.separator ?? arguments.positionals.count
        let words = arguments.positionals[..<end]
        guard let first = words.first else {
            throw UsageError("map: NAME is missing: skyfarm map NAME [ARGUMENT...] -o FOLDER/ -- INPUT...")
        }
        if first.hasPrefix("-") {
            throw UsageError("map: unknown flag \(first) before the name of the program (see skyfarm map --help)")
        }
        (program, self.arguments) = (first, Array(words.dropFirst()))
        let rest = arguments.positionals[end...]
        // Between two separators every word is the program's, also one that is a flag of Skyfarm.
        if let second = rest.firstIndex(of: "--") {
            self.arguments += rest[..<second]
            inputs = Array(rest[(second + 1)...])
        } else {
            inputs = Array(rest)
        }
    }
}

/// Where the results go.
package enum MapDestination: Equatable, Sendable {
    /// Lines of all items in their order.
    case standardOutput
    /// Folder, with a slash at the end.
    case folder(String)
    /// A file for each item.
    case file(ProgramTemplate)

    /// The folder below which all results are, empty or with a slash at its end; nil for standard output.
    package var folder: String? {
        switch self {
        case .standardOutput: return nil
        case .folder(let path): return path
        case .file(let template):
            let fixed = template.leadingText
            return fixed.lastIndex(of: "/").map { String(fixed[...$0]) } ?? ""
        }
    }

    init(_ text: String?) throws(UsageError) {
        guard let text else { throw UsageError("map: name the place of the results: -o FOLDER/, -o TEMPLATE or -o -") }
        if text == "-" {
            self = .standardOutput
        } else if text.hasSuffix("/") {
            self = .folder(text)
        } else {
            self = .file(try MapCommand.template(text))
        }
    }
}

extension ValueForm where Value == [Int32] {
    /// Parses exit codes with commas between them.
    static var exitCodes: ValueForm {
        ValueForm(
            placeholder: "CODES", expected: "exit codes from 0 to 255 with commas between them, as in 0,3",
            parse: { text in
                let codes = text.split(separator: ",", omittingEmptySubsequences: false).map { Int32($0) }
                let valid = codes.compactMap(\.self).filter { (0...255).contains($0) }
                return valid.count == codes.count && !valid.isEmpty ? valid : nil
            }, show: { $0.map(String.init).joined(separator: ",") })
    }
}
