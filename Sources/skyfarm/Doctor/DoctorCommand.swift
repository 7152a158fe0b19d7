package import CommandLineKit
package import Console
package import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import SkyScan

/// `skyfarm doctor` checks whether other machines can use this one.
package struct DoctorCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let daemon = DiscoveryDaemon.diagnose()
        let keys = Result { () throws(KeyError) in try KeyStore.user().ring() }
        // Without a usable key a random key is used, so that the other checks still work.
        let node = ScanNode(
            keys: try (try? keys.get()) ?? KeyRing(current: .random()), nodes: options.nodes.map(\.description),
            discovering: [DNSServiceDiscovery()], remote: .sky)
        try node.start()
        defer { node.disconnect() }
        let states = await node.discover(for: .seconds(options.waitSeconds))
        let diagnosis = Diagnosis(
            daemon: daemon, key: keys.map(\.current.fingerprint), discoveryError: node.membership.errors.first,
            interfaces: NetworkInterface.current(),
            announced: node.membership.peers, states: states, seconds: options.waitSeconds,
            time: SystemTime.current(), arithmetic: .sky)
        try StandardOutput.write(
            options.common.json
                ? JSONOutput.document(
                    Report(
                        isUsable: diagnosis.isUsable, useOfOthers: diagnosis.useOfOthers,
                        findings: diagnosis.findings))
                : Self.text(diagnosis))
        return diagnosis.isUsable ? .complete : .failure
    }

    private struct Report: Encodable {
        var v = 1
        /// Whether other machines can use this one.
        var isUsable: Bool
        /// Statement whether this machine can use others; omitted if none was discovered.
        var useOfOthers: String?
        var findings: [Diagnosis.Finding]
    }

    /// Returns one line per finding, followed by the command to run next.
    package static func text(_ diagnosis: Diagnosis) -> String {
        let findings = diagnosis.findings
        var lines = findings.flatMap { finding in
            let head = finding.verdict.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
            let check = finding.check.padding(toLength: 11, withPad: " ", startingAt: 0)
            return [head + check + finding.text] + (finding.next.map { ["         \u{2192} \($0)"] } ?? [])
        }
        let problems = findings.count { $0.verdict == .problem }
        lines.append(
            diagnosis.isUsable
                ? "Other machines can use this one."
                : problems == 0
                    ? "Other machines cannot use this one: it runs no node."
                    : "Other machines cannot use this one: \(HumanFormat.count(problems, "problem")).")
        if let words = diagnosis.useOfOthers { lines.append(words) }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension DoctorCommand {
    package struct Options: Equatable, Sendable {
        package var nodes: [SocketAddress]
        var waitSeconds: Double
        package var common: CommonOptions

        package init(_ arguments: Arguments) throws(UsageError) {
            nodes = try arguments[NodeOptions.nodes]
            waitSeconds = try arguments[NodeOptions.look]
            common = try CommonOptions(arguments)
        }
    }

    package static let spec = CommandSpec(
        name: "doctor",
        summary: "Check whether other machines can use this one",
        examples: [
            .init(
                line: "skyfarm doctor",
                explanation:
                    "Check the discovery daemon, the network, the cluster key and the announced nodes. The exit code is"
                    + " 0 if other machines can use this one.")
        ],
        description: [
            "Prints one line per check, followed by the command to run next if something is wrong. The exit code is 1"
                + " if other machines cannot use this one."
        ],
        sections: [
            OptionSection(title: "Options", options: [NodeOptions.nodes.spec, NodeOptions.look.spec]),
            CommonOptions.section,
        ],
        files: [.key])
}
