/// `skyfarm nodes`: lists the nodes that can be reached.
struct NodesCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        throw CommandError(.failure, "nodes: not available in this build")
    }
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
                explanation: "Show name, address, slots, load, round trip and version of a node.")
        ],
        sections: [
            OptionSection(title: "Options", options: [NodeOptions.nodes.spec, NodeOptions.wait.spec]),
            CommonOptions.section,
        ])
}
