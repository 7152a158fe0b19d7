package import CommandLineKit
package import Console
import Foundation
import ImageScanning
import ScanCluster
import ScanNetwork

/// `skyfarm submit` hands a scan to this user's node on this machine, or to another node.
package struct SubmitCommand: Command {
    package let words: [String]
    private let inputs: [String]
    private let isRecursive: Bool
    package let environment: [String: String]
    package let common: CommonOptions
    /// Name of the node that runs the job, or nil for this machine's node.
    package let on: String?
    package let cluster: JobCluster

    package static let on = Option.optional(
        "on", .word("NODE"), fallback: "the node of this machine",
        help:
            "Hand the job to the node of this name, or beginning of a name; it must be able to read the files and allow that"
    )

    package init(_ arguments: Arguments) throws(UsageError) {
        let options = try ScanCommand.Options(arguments)
        common = options.common
        if options.outputs.contains("-") { throw UsageError("submit: name the catalogues with -o FILE or -o FOLDER/") }
        if options.inputs.contains("-") { throw UsageError("submit: a list on standard input is not kept; use @FILE") }
        if options.dryRun { throw UsageError("submit: --dry-run belongs to skyfarm scan") }
        on = try arguments[Self.on]
        cluster = try JobCluster(arguments)
        // Without `--on`, which `skyfarm scan` does not have. The output of the job is its log, in the form that `jobs
        // watch` reads. The settings of this user are included, since the node of another user may run the job.
        let complete = arguments.withoutOwn(Self.on.spec).completeWords(of: ScanCommand.spec)
        words = complete.filter { $0 != "--json" && $0 != "--progress=json" }
        environment = arguments.environment
        (inputs, isRecursive) = (options.inputs, options.images.isRecursive)
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
        (request.words, request.folder) = (words, folder)
        request.from = "\(environment["USER"] ?? environment["LOGNAME"] ?? "user")@\(ProcessInfo.processInfo.hostName)"
        request.stamps = (try? InputList(inputs, isRecursive: isRecursive) { "" })?.files.prefix(InputStamp.limit)
            .compactMap { InputStamp(JobPermit.absolute($0.path, folder)) }
        guard let id = try await node.send(request).id else {
            throw CommandError(.failure, "\(node.node.name) sent no ID")
        }
        return id
    }

    private func submitHere() throws -> String {
        var request = LocalRequest(.submit)
        (request.words, request.folder) = (words, FileManager.default.currentDirectoryPath)
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
        summary: "Hand a scan to a node, and return at once",
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
            "With --on the job goes to another node of the cluster, started with --accept-jobs DIR: all files of the job must"
                + " be below DIR, or for reading below its --data, and be the same there as here. It runs as the user of"
                + " that node, with the settings of this machine. The node says so if it cannot read a file or does not"
                + " allow one.",
            "The node of this machine is reached by a socket that only your user can use, $XDG_RUNTIME_DIR/skyfarm/node.sock. A node that"
                + " runs as a service of the machine, as another user, takes no jobs.",
        ],
        arguments: ScanCommand.spec.arguments,
        sections: [OptionSection(title: "Job", options: [on.spec])] + ScanCommand.spec.sections,
        exitCodes: [.noUsableNode], files: [.submitted])
}

extension Arguments {
    /// Returns the arguments without an option that the named command does not have.
    func withoutOwn(_ option: OptionSpec) -> Arguments {
        var (result, kept, skips) = (self, [String](), false)
        let flag = "--" + option.name
        for (index, word) in words.enumerated() {
            if word == "--" {
                kept += words[index...]
                break
            }
            if !skips, word != flag, !word.hasPrefix(flag + "=") { kept.append(word) }
            skips = !skips && word == flag
        }
        (result.words, result.flags[option.name]) = (kept, nil)
        return result
    }
}
