package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanCluster
import ScanSecurity

/// `skyfarm up` starts nodes on other machines over ssh or by Slurm.
package struct UpCommand: Command {
    package let options: Options
    /// The run by Slurm, or nil if hosts are named.
    package let slurm: SlurmRun?

    package init(_ arguments: Arguments) throws(UsageError) {
        options = try Options(arguments)
        try Self.check(node: options.node)
        slurm = try Self.slurm(arguments, options)
    }

    package func run() async throws -> ExitCode {
        if let slurm { return try await slurm.run() }
        let hosts = try HostList(options.hosts).hosts
        if hosts.count > 1, options.node.contains(where: { $0 == "--name" || $0.hasPrefix("--name=") }) {
            throw UsageError("up: --name names one node; leave it out for several hosts")
        }
        let fleet = try options.fleet(parallel: options.parallel)
        guard let file = FleetFile(environment: options.environment) else {
            throw CommandError(.failure, "up: set HOME or XDG_STATE_HOME: the nodes' addresses are kept there")
        }
        try file.check()
        let log = options.log
        let reports = try await fleet.start(hosts, options: options.node, keys: try KeyStore.user().ring()) { report in
            log.tell(report)
        }
        try file.update(with: reports.compactMap(FleetNode.init))
        try StandardOutput.write(
            options.common.json ? HostReport.document(reports) : HostReport.table(reports.filter { $0.node != nil }))
        return HostReport.exitCode(reports)
    }
}

/// `skyfarm down` stops the nodes that `skyfarm up` started, and removes the files that it copied.
package struct DownCommand: Command {
    package let options: UpCommand.Options
    private let forgets: Bool

    package init(_ arguments: Arguments) throws(UsageError) {
        options = try UpCommand.Options(arguments)
        forgets = try arguments[Self.forget]
        if !options.node.isEmpty { throw UsageError("down takes hosts only; options of nodes belong to up") }
    }

    package func run() async throws -> ExitCode {
        guard let file = FleetFile(environment: options.environment) else {
            throw CommandError(.failure, "down: set HOME or XDG_STATE_HOME: the nodes' addresses are kept there")
        }
        try file.check()
        let nodes = file.nodes
        let known = nodes.map(\.host)
        // Nodes of Slurm end with the command that submitted them, so only their entries are removed here.
        let ofSlurm = known.filter { $0.hasPrefix(SlurmPool.hostPrefix) }
        let hosts =
            options.hosts.isEmpty
            ? known.filter { !ofSlurm.contains($0) } : try nodes.hosts(of: try HostList(options.hosts).hosts)
        if options.hosts.isEmpty, !ofSlurm.isEmpty { try file.update(without: ofSlurm) }
        let log = options.log
        if hosts.isEmpty { log.write(.info, "no node was started by `skyfarm up`") }
        let reports = try await options.fleet(parallel: options.parallel).stop(hosts) { log.tell($0) }
        let gone = reports.filter { forgets || $0.state != .failed }.map(\.host)
        if !gone.isEmpty { try file.update(without: gone) }
        if options.common.json { try StandardOutput.write(HostReport.document(reports)) }
        return HostReport.exitCode(reports)
    }
}

extension Log {
    /// Writes a line about a host that is done.
    fileprivate func tell(_ report: HostReport) {
        let level: Log.Level = report.state == .failed ? .error : report.reason == nil ? .info : .warning
        write(level, StyledText(report.text))
    }
}

extension FleetNode {
    /// Returns the node of a report, or nil if the report has none.
    fileprivate init?(_ report: HostReport) {
        guard let name = report.node, let text = report.address, let address = try? SocketAddress(parsing: text) else {
            return nil
        }
        self.init(host: report.host, address: address, name: name)
    }
}

extension [FleetNode] {
    /// Returns the hosts for ssh that the words name: hosts, or whole names of nodes in the file. The beginning of a name
    /// is not accepted here: the same command, given again after `h1` was stopped, would stop `h10`.
    /// - Throws: `CommandError` if a word is the name of nodes on several hosts.
    package func hosts(of words: [String]) throws(CommandError) -> [String] {
        var hosts: [String] = []
        for word in words {
            let named = contains { $0.host == word } ? [] : Set(filter { $0.name == word }.map(\.host)).sorted()
            guard named.count < 2 else {
                throw CommandError(
                    .usage, "down: \(named.joined(separator: " and ")) have nodes of the name \(word); name the host")
            }
            let host = named.first ?? word
            if !hosts.contains(host) { hosts.append(host) }
        }
        return hosts
    }
}
