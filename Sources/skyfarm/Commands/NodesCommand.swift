import ScanCluster
import ScanNetwork

/// `skyfarm nodes`: lists the nodes that can be reached.
struct NodesCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        if options.nodes.isEmpty {
            throw UsageError("nodes: name a node with --node HOST:PORT")
        }
        let nodes = RemoteNodes(options.nodes.map(\.description), systems: Systems(clock: EventLoop.shared))
        nodes.start()
        defer { nodes.close() }
        let rows = await nodes.settled().map(Row.init)
        try StandardOutput.write(options.common.json ? JSONOutput.document(Listing(nodes: rows)) : Self.text(rows))
        return rows.contains(where: \.isUsable) ? .complete : .noUsableNode
    }

    /// One node, as it is listed.
    struct Row: Encodable, Equatable {
        var address: String
        var isUsable: Bool
        var name: String?
        var slots: Int?
        var roundTripMilliseconds: Double?
        var version: String?
        /// Why it cannot be used.
        var reason: String?
    }

    private struct Listing: Encodable {
        var v = 1
        var nodes: [Row]
    }

    /// The rows as a table: usable nodes first, then the others with the reason.
    static func text(_ rows: [Row]) -> String {
        var table = [["NAME", "ADDRESS", "SLOTS", "ROUND TRIP", "VERSION"]]
        for row in rows where row.isUsable {
            let roundTrip = row.roundTripMilliseconds.map { "\(plainText(($0 * 100).rounded() / 100)) ms" }
            table.append([
                row.name ?? "-", row.address, row.slots.map(String.init) ?? "-", roundTrip ?? "-", row.version ?? "-",
            ])
        }
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        var lines =
            table.count == 1
            ? []
            : table.map { cells in
                zip(cells, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                    .joined(separator: "  ").trimmedAtEnd
            }
        lines += rows.filter { !$0.isUsable }.map { "\($0.address)  cannot be used: \($0.reason ?? "unknown")" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension NodesCommand.Row {
    init(_ state: NodeState) {
        address = state.address
        isUsable = state.isUsable
        name = state.node?.name
        slots = state.node?.slots
        roundTripMilliseconds = state.roundTrip.map { $0 / .milliseconds(1) }
        version = state.node?.software
        reason = state.trouble
    }
}

extension String {
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}

extension NodesCommand {
    struct Options: Equatable, Sendable {
        var nodes: [HostAndPort]
        var waitSeconds: Double
        var common: CommonOptions

        init(_ arguments: Arguments) throws(UsageError) {
            nodes = try arguments[NodeOptions.nodes]
            waitSeconds = try arguments[NodeOptions.wait]
            common = try CommonOptions(arguments)
        }
    }

    static let spec = CommandSpec(
        name: "nodes",
        summary: "List the nodes that can be reached",
        examples: [
            .init(
                line: "skyfarm nodes --node 192.168.1.7:4870",
                explanation: "Show name, address, slots, round trip and version of a node.")
        ],
        sections: [
            OptionSection(title: "Options", options: [NodeOptions.nodes.spec, NodeOptions.wait.spec]),
            CommonOptions.section,
        ])
}
