package import CommandLineKit
package import Console
import ImageScanning
import ProgramTask
package import ScanCluster
package import ScanFarm
package import ScanNetwork
import ScanSecurity

/// `skyfarm nodes` lists the reachable nodes, and pauses or resumes nodes.
package struct NodesCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        switch options.action {
        case .list: try await list()
        case .order(let order, let names): try await send(order, to: names)
        }
    }

    private func list() async throws -> ExitCode {
        var remote = RemoteNodes.Options.sky
        remote.allowsDifferentNodes = options.allowsDifferent
        // Nodes of other programs may use a different arithmetic for their tasks.
        if !options.scanners.isEmpty { (remote.taskTypes, remote.arithmetic) = (options.scanners, nil) }
        let node = ScanNode(
            keys: try KeyStore.user().ring(), nodes: options.nodes.map(\.description),
            discovering: NodeSources(discovers: options.discovers, srv: options.srv).all, remote: remote)
        try node.start()
        defer { node.disconnect() }
        let states = await node.discover(for: .seconds(options.waitSeconds))
        let rows = Self.rows(of: states, node.membership.peers)
        for error in node.membership.errors { say("\(error)") }
        if rows.isEmpty {
            say(
                "no node found; start `skyfarm node` on a machine, or name one with --node HOST:PORT;"
                    + " `skyfarm doctor` reports what is missing")
        }
        try StandardOutput.write(options.common.json ? JSONOutput.document(Listing(nodes: rows)) : Self.text(rows))
        if rows.contains(where: \.isUsable) { return .complete }
        return UnusableNodes(states, discovered: node.membership.peers).lackKey ? .authentication : .noUsableNode
    }

    package func say(_ line: String) {
        if !options.common.quiet { StandardError.write("skyfarm nodes: \(line)\n") }
    }

    package struct Row: Encodable, Equatable {
        package var address: String
        package var isUsable: Bool
        package var name: String?
        package var slots: Int?
        /// Tags given by `--tag` of the node.
        package var tags: [String]?
        /// Names of the programs given by `--program` of the node.
        package var programs: [String]?
        /// Names of the Python modules given by `--python` of the node.
        package var modules: [String]?
        /// Number of running and queued tasks, divided by the number of slots.
        package var load: Double?
        var roundTripMilliseconds: Double?
        package var version: String?
        /// Fingerprint of the node's arithmetic; ``libraries`` are the libraries that it uses.
        package var arithmetic: String?
        package var libraries: String?
        /// Fingerprint of the key that is in use or announced.
        package var key: String?
        /// Reason why the node cannot be used.
        package var reason: String?
    }

    private struct Listing: Encodable {
        var v = 1
        var nodes: [Row]
    }

    /// Returns a table of the usable nodes, then a line with the reason for each other node.
    package static func text(_ rows: [Row]) -> String {
        let usable = rows.filter(\.isUsable)
        let hasTags = usable.contains { $0.tags != nil }
        let hasPrograms = usable.contains { $0.programs != nil }
        let hasModules = usable.contains { $0.modules != nil }
        let titles =
            ["NAME", "ADDRESS", "SLOTS", "LOAD", "ROUND TRIP", "VERSION", "KEY"] + (hasTags ? ["TAGS"] : [])
            + (hasPrograms ? ["PROGRAMS"] : []) + (hasModules ? ["MODULES"] : [])
        var table = TextTable(titles, texts: ["ADDRESS", "VERSION", "KEY", "TAGS", "PROGRAMS", "MODULES"])
        for row in usable {
            let roundTrip = row.roundTripMilliseconds.map { "\(plainText(($0 * 100).rounded() / 100)) ms" }
            let cells = [
                row.name ?? "-", row.address, row.slots.map(String.init) ?? "-",
                row.load.map { plainText(($0 * 100).rounded() / 100) } ?? "-", roundTrip ?? "-", row.version ?? "-",
                row.key ?? "-",
            ]
            table.add(
                cells + (hasTags ? [row.tags?.joined(separator: " ") ?? "-"] : [])
                    + (hasPrograms ? [row.programs?.joined(separator: " ") ?? "-"] : [])
                    + (hasModules ? [row.modules?.joined(separator: " ") ?? "-"] : []))
        }
        let others = rows.filter { !$0.isUsable }.map { row in
            let name = row.name.map { "\($0)  " } ?? ""
            return "\(name)\(row.address)  cannot be used: \(row.reason ?? "unknown")\n"
        }
        return (usable.isEmpty ? "" : table.text) + others.joined()
    }
}

extension NodesCommand.Row {
    package init(_ state: NodeState) {
        address = state.address
        isUsable = state.isUsable
        name = state.node?.name ?? state.announcedName
        slots = state.node?.slots
        (tags, programs, modules) = Self.divided(state.node?.tags ?? [])
        load = state.node.flatMap { node in node.busy.map { Double($0) / Double(node.slots) } }
        roundTripMilliseconds = state.roundTrip.map { $0 / .milliseconds(1) }
        version = state.node?.software
        arithmetic = state.node?.arithmetic?.fingerprint
        libraries = state.node?.arithmetic?.libraries
        key = state.key?.description
        reason = state.trouble
    }

    /// Divides a node's tags into those that its owner has chosen, and the programs and modules that they announce; nil
    /// for none.
    private static func divided(_ tags: [String]) -> (tags: [String]?, programs: [String]?, modules: [String]?) {
        func names(_ prefix: String) -> [String]? {
            let names = tags.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            return names.isEmpty ? nil : names
        }
        let own = tags.filter { tag in
            ![ProgramTask.tagPrefix, PythonTask.tagPrefix].contains { tag.hasPrefix($0) }
        }
        return (own.isEmpty ? nil : own, names(ProgramTask.tagPrefix), names(PythonTask.tagPrefix))
    }

    /// Creates the row of a discovered node to which no connection is attempted.
    package init?(_ peer: DiscoveredPeer) {
        guard let unusable = peer.unusableReason else { return nil }
        address = peer.node.addresses.first?.description ?? "-"
        isUsable = false
        name = peer.node.name
        slots = peer.node.advertisement.slots
        key = peer.node.advertisement.keyFingerprint
        reason = unusable.text
    }
}

extension NodesCommand {
    /// Returns one row per node. A node may be connected by several addresses, and be announced as well.
    package static func rows(of states: [NodeState], _ peers: [DiscoveredPeer]) -> [Row] {
        var shown: Set<String> = []
        let states = states.filter { state in
            !state.isSecond && shown.insert(state.node.map { "\($0.identity)" } ?? state.address).inserted
        }
        let known = Set(states.compactMap(\.node?.identity))
        let tried = Set(states.map(\.address))
        let others = peers.filter { peer in
            peer.node.advertisement.id.map(known.contains) != true
                && !peer.node.addresses.contains { tried.contains($0.description) }
        }
        return states.map(Row.init) + others.compactMap(Row.init)
    }
}

extension NodesCommand {
    package struct Options: Equatable, Sendable {
        package var action: Action
        package var nodes: [SocketAddress]
        package var srv: [String]
        package var discovers: Bool
        var allowsDifferent: Bool
        /// Task types that a node must support to be usable; those of a sky scan if empty.
        var scanners: [String]
        var waitSeconds: Double
        package var common: CommonOptions

        package enum Action: Equatable, Sendable {
            case list
            /// An order to nodes, given by name or address.
            case order(NodeOrder, [String])

            package static let names = ["list", "pause", "resume"]
        }

        static let scanners = Option.list(
            "scanner", .word("NAME"),
            help: "List the nodes that know the task of this name, of a program that uses the library, as usable")

        package init(_ arguments: Arguments) throws(UsageError) {
            action = try Self.action(arguments.positionals)
            nodes = try arguments[NodeOptions.nodes]
            srv = try arguments[NodeOptions.srv]
            discovers = try !arguments[NodeOptions.noDiscovery]
            allowsDifferent = try arguments[NodeOptions.allowDifferent]
            scanners = try arguments[Self.scanners]
            waitSeconds = try arguments[NodeOptions.look]
            common = try CommonOptions(arguments)
        }
    }

    package static let spec = CommandSpec(
        name: "nodes",
        summary: "List the nodes that can be reached, pause or resume them",
        examples: [
            .init(
                line: "skyfarm nodes",
                explanation:
                    "Look for nodes on the local network for two seconds; show name, address, slots, load, round"
                    + " trip, version, key fingerprint, tags and programs of each."),
            .init(
                line: "skyfarm nodes --no-discovery --node 192.168.1.7:4870",
                explanation: "Show one node."),
            .init(
                line: "skyfarm nodes pause alpha",
                explanation: "Have the node alpha give its tasks back and take no others until nodes resume alpha."),
        ],
        description: [
            "Lists the nodes that skyfarm scan would use: those announced on the local network, those named with"
                + " --node, and those of --srv. A node that cannot be used is listed with the reason. The exit code"
                + " is 0 if at least one node can be used.",
            "pause has nodes run no tasks: the waiting ones are given back to their coordinators at once, the running ones"
                + " after a second, and no attempt is counted. resume ends such a pause. A node that its owner has paused,"
                + " or whose --max-load, --when-idle or --hours forbid tasks, stays paused. Both name each node and its"
                + " state, and exit with 0 if all nodes carried the order out.",
        ],
        arguments: [
            ArgumentSpec(
                name: "ACTION", help: "list (the default), pause or resume", isRequired: false,
                choices: Options.Action.names),
            ArgumentSpec(
                name: "NAME", help: "with pause and resume: the node's name or its beginning, or HOST:PORT",
                isRequired: false,
                repeats: true),
        ],
        sections: [
            OptionSection(
                title: "Options",
                options: [
                    NodeOptions.nodes.spec, NodeOptions.srv.spec, NodeOptions.noDiscovery.spec, NodeOptions.look.spec,
                    NodeOptions.allowDifferent.spec, Options.scanners.spec,
                ]),
            CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication], files: [.key])
}
