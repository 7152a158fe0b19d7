package import CommandLineKit
package import Console
import Foundation
import NodeDaemon
import ScanCluster

extension UpCommand {
    /// Options of `skyfarm up` and `skyfarm down`.
    package struct Options: Equatable, Sendable {
        /// Hosts as given on the command line.
        package var hosts: [String]
        /// Options of the nodes, given after `--`.
        package var node: [String]
        var parallel: Int
        package var limit: Double
        package var environment: [String: String]
        package var log: Log
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
            node = arguments.words.firstIndex(of: "--").map { Array(arguments.words[($0 + 1)...]) } ?? []
            hosts = arguments.positionals.dropLast(node.count)
            parallel = try arguments[UpCommand.parallel]
            limit = try arguments[UpCommand.limit]
            environment = arguments.environment
            log = try Log(program: "skyfarm", arguments)
            common = try CommonOptions(arguments)
        }

        /// - Throws: `CommandError` if ssh is not installed.
        func fleet(parallel: Int) throws(CommandError) -> FleetHosts {
            guard let ssh = NodeService.programPath("ssh", environment: environment, folder: "/") else {
                throw CommandError(.failure, "ssh is not installed: install it (Debian: openssh-client)")
            }
            return FleetHosts(
                ssh: SSHSession.Options(program: ssh, connectSeconds: 10), parallel: parallel, limit: .seconds(limit))
        }
    }

    /// Validates options of nodes as `skyfarm node` does.
    package static func check(node words: [String]) throws(UsageError) {
        let arguments = try NodeCommand.arguments(words)
        guard arguments.positionals.isEmpty else {
            throw UsageError("up: after -- come options of skyfarm node, as in -- --slots 4")
        }
        let options = try NodeCommand.Options(arguments)
        if options.service != nil || options.order != nil {
            throw UsageError("up: --install-service, --pause and --resume are not options of a node that runs")
        }
    }

    private static let parallel = Option.value(
        "parallel", .integer("N", 1...256), default: 16, layers: .all, help: "Number of hosts at a time")
    private static let limit = Option.value(
        "limit", .number("SECONDS", 1...3600), default: 60, layers: .all,
        help: "Time for each host, after which it is given up")

    package static let options = [parallel.spec, limit.spec]

    package static let spec = CommandSpec(
        name: "up",
        summary: "Start nodes on other machines, over ssh or by Slurm",
        examples: [
            .init(
                line: "skyfarm up h1 h2 user@h3",
                explanation:
                    "Copy this program and the cluster key to three hosts, start a node on each, and wait until"
                    + " this machine can use them. The next skyfarm scan does."),
            .init(
                line: "skyfarm up @hosts -- --slots 50% --nice 10",
                explanation: "Start nodes with these options on the hosts that a file lists."),
            .init(line: "skyfarm down", explanation: "Stop all of them, and remove what was copied."),
            .init(
                line: "skyfarm up --slurm --min 0 --max 20 --partition night --sbatch=--cpus-per-task=8",
                explanation: "Have Slurm run as many nodes as the waiting tasks of scans on this machine need, until"
                    + " Ctrl-C."),
        ],
        description: [
            "Logs in to each host with ssh, which reads your configuration and uses your agent; no password is asked for."
                + " The host needs Linux on the same kind of processor, a C library that is as new as this machine's, and"
                + " tar. The program, the libraries that it loads and the cluster key go through the encrypted connection"
                + " into the folder .skyfarm-node.HOST of your home there, which others cannot enter. Nothing of them is"
                + " on a command line. The node outlives the session. Its log is the file log in that folder.",
            "A host that fails is named with the reason, the others go on, and nothing is left on it. The exit code is 23"
                + " if some hosts failed and 3 if all did. A host whose node runs already is left as it is: to change its"
                + " options, use skyfarm down first.",
            "The addresses of the nodes are kept in a file, from which scan, nodes and bench find them, unless"
                + " --no-discovery is given: no multicast is needed. A firewall of the host must accept TCP port"
                + " \(SocketAddress.usual.port), or that of -- --listen.",
            "After -- come options of skyfarm node. Nodes take submitted jobs as well, which skyfarm down stops.",
            "With --slurm, on a machine that submits jobs to Slurm, nodes are tasks of an array: --nodes of them, once, or"
                + " between --min and --max by the tasks that wait in scans and submitted jobs of your user on this"
                + " machine. This program and your home must be on a file system that the compute nodes share. A node"
                + " tells this command where it listens, leaves after --idle-stop without a coordinator (except --min of"
                + " them), and drains \(SlurmCommands.drainSeconds) s before its time limit: no attempt is lost. The command"
                + " runs until Ctrl-C or SIGTERM, which cancels the nodes, or, with --nodes, until all have left; then its"
                + " exit code is 23 if some never joined and 3 if none did.",
        ],
        arguments: [
            ArgumentSpec(
                name: "HOST", help: "a host, as for ssh; or @FILE: a list with a host per line", isRequired: false,
                repeats: true)
        ],
        sections: [
            OptionSection(title: "Options", options: options), OptionSection(title: "Slurm", options: slurmOptions),
            CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .partialCatalogue, .interrupted], files: [.key, .hosts])
}

extension DownCommand {
    package static let forget = Option.toggle(
        "forget", help: "Forget the hosts that fail as well: they are gone for good, and what was copied stays there")

    package static let spec = CommandSpec(
        name: "down",
        summary: "Stop the nodes that up has started, and remove what it has copied",
        examples: [
            .init(
                line: "skyfarm down",
                explanation: "Stop the nodes on all hosts of skyfarm up. Their running tasks may end first."),
            .init(line: "skyfarm down h2", explanation: "Stop one of them."),
            .init(
                line: "skyfarm down h3 --forget", explanation: "Forget a host that cannot be reached any more."),
        ],
        description: [
            "Stops the node that skyfarm up has started on each host, with all its processes, and removes its folder: the"
                + " program, the key, the state and the log. No process and no file of it is left. Running tasks have half of"
                + " --limit to end. Nodes that were started otherwise go on.",
            "A host that fails is named with the reason, and is kept for the next skyfarm down. The exit code is 23 if some"
                + " hosts failed and 3 if all did.",
        ],
        arguments: [
            ArgumentSpec(
                name: "HOST",
                help: "a host, as it was given to up, the name of its node, or @FILE; all hosts by default",
                isRequired: false, repeats: true)
        ],
        sections: [
            OptionSection(title: "Options", options: UpCommand.options + [forget.spec]), CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .input, .partialCatalogue], files: [.hosts])
}
