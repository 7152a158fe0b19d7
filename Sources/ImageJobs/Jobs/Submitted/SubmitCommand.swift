package import CommandLineKit
package import Console
import Foundation
import ImageScanning
import ScanCluster
import ScanNetwork

/// `skyfarm submit` hands a scan, or another command of ``JobVerb``, to this user's node on this machine, or to another
/// node.
package struct SubmitCommand: Command {
    package let verb: JobVerb
    package let words: [String]
    private let arguments: Arguments
    package let environment: [String: String]
    package let common: CommonOptions
    /// Name of the node that runs the job, or nil for this machine's node.
    package let on: String?
    /// IDs, or their beginnings, of the jobs after which the job begins.
    package let after: [String]
    package let cluster: JobCluster

    package static let on = Option.optional(
        "on", .word("NODE"), fallback: "the node of this machine",
        help:
            "Hand the job to the node of this name, or beginning of a name; it must be able to read the files and allow that"
    )
    package static let after = Option.list(
        "after", .word("ID"),
        help: "Begin when the job of this ID, or beginning of an ID, has ended with exit code 0; may be repeated")

    package init(_ given: Arguments) throws(UsageError) {
        let (verb, arguments) = try Self.parsed(given)
        self.verb = verb
        try verb.check(arguments)
        common = try CommonOptions(arguments)
        if let problem = verb.problem(arguments) { throw UsageError("submit: \(problem)") }
        on = try arguments[Self.on]
        after = try arguments[Self.after]
        if on != nil { try JobPermit.check(verb) }
        cluster = try JobCluster(arguments)
        // Without the options that the command does not have. The output of the job is its log, in the form that `jobs
        // watch` reads. The settings of this user are included, since the node of another user may run the job.
        let complete = arguments.without([Self.on.spec, Self.after.spec]).completeWords(of: verb.spec)
        let end = complete.firstIndex(of: "--") ?? complete.endIndex
        words = complete[..<end].filter { $0 != "--json" && $0 != "--progress=json" } + complete[end...]
        environment = arguments.environment
        self.arguments = arguments
    }

    /// Finds the command and parses its arguments; without the name of one it is a scan.
    private static func parsed(_ given: Arguments) throws(UsageError) -> (JobVerb, Arguments) {
        guard let (verb, words) = verb(in: given.words) else { return (.scan, given) }
        var spec = spec(of: verb)
        spec.name = Self.spec.name
        guard case .run(_, var arguments) = try CommandLineParser(.skyfarm([spec])).parse([spec.name] + words) else {
            throw UsageError("submit \(verb.rawValue): see skyfarm submit --help and skyfarm \(verb.rawValue) --help")
        }
        (arguments.environment, arguments.file) = (given.environment, given.file)
        return (verb, arguments)
    }

    /// Returns the command that the words name, before or after options of `submit`, and the words without its name;
    /// nil if they begin with something else, such as an input of a scan.
    package static func verb(in words: [String]) -> (verb: JobVerb, words: [String])? {
        let own = [on.spec, after.spec].map { "--" + $0.name }
        var place = words.startIndex
        while place < words.endIndex {
            if own.contains(words[place]) {
                place += 2
            } else if own.contains(where: { words[place].hasPrefix($0 + "=") }) {
                place += 1
            } else {
                break
            }
        }
        guard place < words.endIndex, let verb = JobVerb(rawValue: words[place]) else { return nil }
        return (verb, Array(words[..<place] + words[(place + 1)...]))
    }

    private static func spec(of verb: JobVerb) -> CommandSpec {
        var spec = verb.spec
        spec.sections.append(OptionSection(title: "Job", options: [on.spec, after.spec]))
        return spec
    }

    package func run() async throws -> ExitCode {
        let id = if let on { try await submit(on: on) } else { try submitHere() }
        try StandardOutput.write(common.json ? JSONOutput.line(Submitted(id: id)) : "\(id)\n")
        return .complete
    }

    /// Submits the job to another node.
    private func submit(on name: String) async throws -> String {
        let word = NodeWord(name)
        let view = try await cluster.view(until: { word.isName(of: $0.nodes) })
        let node = try word.node(among: view.nodes, troubles: view.troubles)
        let folder = FileManager.default.currentDirectoryPath
        var request = ClusterRequest(.submit)
        (request.words, request.folder, request.after) = (words, folder, after)
        request.verb = verb == .scan ? nil : verb
        request.from = "\(environment["USER"] ?? environment["LOGNAME"] ?? "user")@\(ProcessInfo.processInfo.hostName)"
        request.stamps = (try? verb.inputFiles(arguments))?.prefix(InputStamp.limit)
            .compactMap { InputStamp(JobPermit.absolute($0, folder)) }
        guard let id = try await node.send(request).id else {
            throw CommandError(.failure, "\(node.node.name) sent no ID")
        }
        return id
    }

    private func submitHere() throws -> String {
        var request = LocalRequest(.submit)
        (request.words, request.folder) = (words, FileManager.default.currentDirectoryPath)
        (request.verb, request.after) = (verb == .scan ? nil : verb, after)
        request.environment = SubmittedJob.variables(of: environment)
        let reply = try LocalSocket.send(request, environment)
        guard let id = reply.id else { throw CommandError(.failure, "the node sent no ID; see its log") }
        return id
    }

    private struct Submitted: Encodable {
        var v = 1
        var id: String
    }

    package static let spec = CommandSpec(
        name: "submit",
        summary: "Hand a scan, or combine, calibrate or map, to a node, and return at once",
        examples: [
            .init(
                line: "skyfarm submit night/*.fits -o catalogues/",
                explanation: "Print the ID of a job that scans the night, also after this terminal is closed."),
            .init(
                line: "skyfarm submit night/*.fits.fz -o catalogues/ --priority-weight 2",
                explanation: "Submit a scan that gets twice the time of others on nodes that they share."),
            .init(
                line: "skyfarm submit --on beta /shared/night/*.fits -o /shared/catalogues/",
                explanation: "Have the node beta coordinate the scan; it accepts jobs below /shared."),
            .init(
                line: "skyfarm submit map --after 1f0c psfex {in} --out '{stem}.psf' -o psf/ -- catalogues/",
                explanation: "Run a program on the catalogues when job 1f0c, which writes them, has ended well."),
            .init(
                line: "skyfarm jobs wait $(skyfarm submit a.fits -o a.csv)",
                explanation: "Submit a scan and wait for its end; the exit code is that of the scan."),
        ],
        description: [
            "The node of your user on this machine runs the job in a process of its own, in the folder in which it was"
                + " submitted, with the options of skyfarm-scan(1) and with this command's environment as far as it is"
                + " about the user, the language and Skyfarm. It prints the ID of the job at once. `skyfarm jobs` lists"
                + " the jobs; jobs watch, wait, pause, resume and cancel take the ID.",
            "A job outlives the terminal and its node. It runs on while the node is restarted, and a job whose process was"
                + " ended, as by a restart of the machine, is resumed from its journal when a node of the user starts"
                + " again. At most two jobs run at a time, or as many as skyfarm node --jobs says; others wait.",
            "A first word combine, calibrate, map or scan is the command, followed by its options and those of submit;"
                + " otherwise the job is a scan. A file of that name is written as ./map. With --after ID a job begins when"
                + " another one has ended with exit code 0, so that jobs form a chain; if that one fails, is cancelled or"
                + " removed, the job fails, and its log says why. A map that was begun before goes on as with --resume.",
            "With --on a scan or a map goes to another node of the cluster, started with --accept-jobs DIR: all files of"
                + " the job must be below DIR, or for reading below its --data, and be the same there as here. It runs as the user of"
                + " that node, with the settings of this machine. The node says so if it cannot read a file or does not"
                + " allow one. A map then has no --joblog and no --local-program.",
            "The node of this machine is reached by a socket that only your user can use, $XDG_RUNTIME_DIR/skyfarm/node.sock. A node that"
                + " runs as a service of the machine, as another user, takes no jobs.",
        ],
        arguments: ScanCommand.spec.arguments,
        sections: [OptionSection(title: "Job", options: [on.spec, after.spec])] + ScanCommand.spec.sections,
        exitCodes: [.noUsableNode], files: [.submitted])
}

extension Arguments {
    /// Returns the arguments without options, each with a value, that the named command does not have.
    func without(_ options: [OptionSpec]) -> Arguments {
        var (result, kept, skips) = (self, [String](), false)
        let flags = options.map { "--" + $0.name }
        for (index, word) in words.enumerated() {
            if word == "--" {
                kept += words[index...]
                break
            }
            let isOption = flags.contains { word == $0 || word.hasPrefix($0 + "=") }
            if !skips, !isOption { kept.append(word) }
            skips = !skips && flags.contains(word)
        }
        result.words = kept
        for option in options { result.flags[option.name] = nil }
        return result
    }
}
