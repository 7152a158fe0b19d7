import CommandLineKit
import Foundation

/// `skyfarm submit`: hands a scan to the node of this user on this machine.
struct SubmitCommand: Command {
    let words: [String]
    let environment: [String: String]
    let common: CommonOptions

    init(_ arguments: Arguments) throws(UsageError) {
        let options = try ScanCommand.Options(arguments)
        common = options.common
        if options.outputs.contains("-") { throw UsageError("submit: name the catalogues with -o FILE or -o FOLDER/") }
        if options.inputs.contains("-") { throw UsageError("submit: a list on standard input is not kept; use @FILE") }
        if options.dryRun { throw UsageError("submit: --dry-run belongs to skyfarm scan") }
        // The job's own output is its log, in the form that watch reads.
        words = arguments.words.filter { $0 != "--json" && $0 != "--progress=json" }
        environment = arguments.environment
    }

    func run() async throws -> ExitCode {
        let reply = try LocalSocket.send(
            LocalRequest(
                action: .submit, words: words, folder: FileManager.default.currentDirectoryPath,
                environment: SubmittedJob.variables(of: environment)),
            environment)
        guard let id = reply.id else { throw CommandError(.failure, "the node sent no ID; see its log") }
        try StandardOutput.write(common.json ? JSONOutput.line(Submitted(id: id)) : "\(id)\n")
        return .complete
    }

    private struct Submitted: Encodable {
        var v = 1
        var id: String
    }

    static let spec = CommandSpec(
        name: "submit",
        summary: "Hand a scan to the node of this machine, and return at once",
        examples: [
            .init(
                line: "skyfarm submit night/*.fits -o catalogues/",
                explanation: "Print the ID of a job that scans the night, also after this terminal is closed."),
            .init(
                line: "skyfarm submit night/*.fits.fz -o catalogues/ --priority-weight 2",
                explanation: "Submit a scan that gets twice the time of others on nodes that they share."),
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
            "The node is reached by a socket that only your user can use, $XDG_RUNTIME_DIR/skyfarm/node.sock. A node that"
                + " runs as a service of the machine, as another user, takes no jobs.",
        ],
        arguments: ScanCommand.spec.arguments, sections: ScanCommand.spec.sections,
        exitCodes: [.noUsableNode], files: [.submitted])
}
