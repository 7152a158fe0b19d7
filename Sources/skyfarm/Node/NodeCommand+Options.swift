import CommandLineKit
import ScanCluster

extension NodeCommand {
    struct Options: Equatable, Sendable {
        /// Nil: derived from the host's name.
        var name: String?
        /// Nil: one per core.
        var slots: Int?
        /// Nil: the usual port, or a free one if that is taken.
        var listen: SocketAddress?
        /// Added to the nice value of the scanning threads.
        var niceness: Int
        /// Folders of images that coordinators may refer to.
        var data: [String]
        var advertises: Bool
        /// Address of the live page; nil: none.
        var dashboard: SocketAddress?
        var log: Log
        var common: CommonOptions
        /// Nil: run the node.
        var service: ServiceRequest?

        init(_ arguments: Arguments) throws(UsageError) {
            name = try arguments[NodeCommand.name]
            slots = try arguments[NodeCommand.slots]
            listen = try arguments[NodeCommand.listen]
            niceness = try arguments[NodeCommand.nice]
            data = try arguments[NodeCommand.data]
            advertises = try !arguments[NodeCommand.noAdvertise]
            dashboard = try arguments[DashboardOption.option]
            log = try Log(program: "skyfarm node", arguments)
            common = try CommonOptions(arguments)
            service = try NodeCommand.serviceRequest(arguments)
        }
    }

    private static let name = Option.optional(
        "name", .word("NAME"), fallback: "the host's name, made unique", layers: .environment("SKYFARM_NODE_NAME"),
        help: "Name of this node")
    private static let slots = Option.optional(
        "slots", .integer("N", 1...1024), fallback: "one per core", layers: .all,
        help: "Number of tasks to run at a time")
    private static let listen = Option.optional(
        "listen", .listenAddress, fallback: "\(SocketAddress.usual), or a free port if it is taken", layers: .all,
        help: "Address and port to listen on; an empty address means all, port 0 a free port")
    static let nice = Option.value(
        "nice", .integer("N", 0...19), default: 0, layers: .all,
        help: "Scan at a priority that is lower by N, so that other programs take precedence (Linux)")
    private static let data = Option.list(
        "data", .text("DIR", expected: "the name of a folder"), layers: .all,
        help:
            "Read images below this folder from disk if the coordinator scans the same files, instead of receiving"
            + " their pixels"
    )
    private static let noAdvertise = Option.toggle(
        "no-advertise", layers: .all, help: "Do not announce this node on the local network, or discover others")

    static let spec = CommandSpec(
        name: "node",
        summary: "Run tasks for coordinators on the network",
        examples: [
            .init(
                line: "skyfarm node",
                explanation:
                    "Run tasks for every coordinator on the local network until Ctrl-C. Once the node is ready, it"
                    + " prints one line: ready NAME ADDR:PORT slots N."),
            .init(
                line: "skyfarm node --slots 4 --nice 10",
                explanation: "Run up to four tasks at a time, and let other programs take precedence."),
            .init(
                line: "sudo skyfarm node --install-service --slots 4",
                explanation: "Install a service that runs this node, and print how to start it."),
        ],
        description: [
            "A node runs tasks only for coordinators that hold its cluster key. It accepts no commands or code from the"
                + " network, and reads no files other than images below the folders of --data. It announces itself by"
                + " DNS-SD, and picks up a new cluster key without a restart.",
            "A firewall must accept TCP port \(SocketAddress.usual.port), or the port of --listen, and for discovery"
                + " UDP port 5353. A second node of a machine listens on a free port.",
            "On SIGTERM or Ctrl-C the node withdraws its announcement, finishes running tasks and exits with 0; a"
                + " second Ctrl-C stops it at once.",
        ],
        sections: [
            OptionSection(
                title: "Options",
                options: [
                    name.spec, slots.spec, nice.spec, listen.spec, data.spec, noAdvertise.spec,
                    DashboardOption.option.spec,
                    LogOptions.format.spec,
                ]),
            OptionSection(title: "Service", options: [installService.spec, user.spec, dryRun.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.authentication, .input, .interrupted], files: [.key])
}

extension SocketAddress {
    /// Every address of this machine, IPv4 and IPv6, with the port that nodes usually have.
    static let usual = SocketAddress(host: "", port: 4870)
}

extension NodeCommand.Options {
    /// The address to listen on.
    var address: SocketAddress { listen ?? .usual }
}
