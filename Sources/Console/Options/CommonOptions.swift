package import CommandLineKit
package import ScanCluster

/// The options shared by all commands.
package struct CommonOptions: Equatable, Sendable {
    package var json = false
    package var quiet = false
    package var verbose = false
    package var color = ColorMode.auto
    package var progress = ProgressMode.auto

    package enum ColorMode: String, CaseIterable, Sendable { case auto, always, never }

    package enum ProgressMode: String, CaseIterable, Sendable { case auto, always, never, json }

    package init() {}

    package init(_ arguments: Arguments) throws(UsageError) {
        json = try arguments[Self.json]
        quiet = try arguments[Self.quiet]
        verbose = try arguments[Self.verbose]
        color = try arguments[Self.color]
        progress = try arguments[Self.progress]
    }

    private static let json = Option.toggle("json", help: "Print the result as JSON on standard output")
    private static let quiet = Option.toggle(
        "quiet", short: "q", layers: .all, help: "Print only data and errors")
    private static let verbose = Option.toggle(
        "verbose", short: "v", layers: .all, help: "Print more details on standard error")
    private static let color = Option.value(
        "color", .choice("WHEN"), default: ColorMode.auto, layers: .all, help: "Use colour; auto also obeys NO_COLOR")
    private static let progress = Option.value(
        "progress", .choice("WHEN"), default: ProgressMode.auto, layers: .all,
        help: "Show progress on standard error")

    package static let help = Option.toggle("help", short: "h", help: "Show this help")

    package static let section = OptionSection(
        title: "Common options",
        options: [json.spec, quiet.spec, verbose.spec, color.spec, progress.spec, help.spec])
}

/// Format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// For people: without time and level.
    case auto
    /// Text with time, level and job.
    case text
    /// One JSON object per line.
    case json
}

/// The log option of long-running commands.
package enum LogOptions {
    package static let format = Option.value(
        "log-format", .choice("FORMAT"), default: LogFormat.auto, layers: .all,
        help: "Format of messages on standard error: for people, or with time, level and job as text or JSON")
}

/// Options that select nodes.
package enum NodeOptions {
    package static let nodes = Option.list(
        "node", .hostAndPort, layers: .environment("SKYFARM_NODES"), help: "Use the node at this address")
    package static let srv = Option.list(
        "srv", .word("NAME"), layers: .all, help: "Use the nodes in the DNS SRV records of this name")
    package static let noDiscovery = Option.toggle(
        "no-discovery", layers: .all, help: "Do not discover nodes on the local network")
    package static let weight = Option.value(
        "priority-weight", .number("W", 0.01...100), default: 1, layers: .all,
        help: "Share of a node's time beside other scans, in proportion to their weights")
    package static let only = Option.list(
        "only", .word("NAME"), layers: .all,
        help: "Use no other nodes than that of this name, beginning of a name, or pattern, and this machine")
    package static let exclude = Option.list(
        "exclude", .word("NAME"), layers: .all,
        help: "Do not use the node of this name, beginning of a name, or pattern")
    package static let allowDifferent = Option.toggle(
        "allow-different-nodes", layers: .all,
        help: "Use nodes that compute differently, too; the catalogue then is not exact, and its header says so")
    package static let look = Option.value(
        "wait", .number("SECONDS", 0...3600), default: 2, layers: .all, help: "Time to look for nodes")
    package static let wait = Option.value(
        "wait", .number("SECONDS", 0...3600), default: 3, layers: .all, help: "Time to wait for a node")
}

extension ValueForm where Value == SocketAddress {
    package static var hostAndPort: ValueForm {
        ValueForm(
            placeholder: "HOST:PORT", expected: "HOST:PORT, as in 192.168.1.7:4870 or [fe80::1]:4870",
            parse: { (try? SocketAddress(parsing: $0)).flatMap { $0.host.isEmpty ? nil : $0 } }, show: \.description)
    }

    package static var listenAddress: ValueForm {
        ValueForm(
            placeholder: "ADDR:PORT", expected: "ADDR:PORT, as in 192.168.1.7:4870, or :4870 for all addresses",
            parse: { try? SocketAddress(parsing: $0) }, show: \.description)
    }
}
