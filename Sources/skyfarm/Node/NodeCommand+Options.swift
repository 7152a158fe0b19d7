import CommandLineKit

extension NodeCommand {
    struct Options: Equatable, Sendable {
        /// Nil: made from the host's name, unique.
        var name: String?
        /// Nil: one per core.
        var slots: Int?
        var listen: HostAndPort
        /// Folders below which images are read that coordinators name.
        var data: [String]
        var advertises: Bool
        /// Where the live page is served; nil: nowhere.
        var dashboard: HostAndPort?
        var log: Log
        var common: CommonOptions
        /// Nil: run the node.
        var service: ServiceRequest?

        init(_ arguments: Arguments) throws(UsageError) {
            name = try arguments[NodeCommand.name]
            slots = try arguments[NodeCommand.slots]
            listen = try arguments[NodeCommand.listen]
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
        "slots", .integer("N", 1...1024), fallback: "one per core", layers: .all, help: "Tasks to run at a time")
    private static let listen = Option.value(
        "listen", .listenAddress, default: .anyAddress, layers: .all,
        help: "Address to listen on, all if empty; port 0 takes a free one")
    private static let data = Option.list(
        "data", .text("DIR", expected: "the name of a folder"), layers: .all,
        help: "Read images of scans here, if this machine has the same files; their pixels are then not sent")
    private static let noAdvertise = Option.toggle(
        "no-advertise", layers: .all, help: "Do not announce this node on the local network")

    static let spec = CommandSpec(
        name: "node",
        summary: "Offer this machine to coordinators on the network",
        examples: [
            .init(
                line: "skyfarm node",
                explanation: "Run tasks until Ctrl-C for every coordinator on the local network. When it can be used,"
                    + " it prints one line: ready NAME ADDR:PORT slots N."),
            .init(
                line: "skyfarm node --slots 4 --listen :4870",
                explanation: "Run up to four tasks at a time, at a fixed port for those who name it with --node."),
            .init(
                line: "sudo skyfarm node --install-service --slots 4",
                explanation: "Write a service that runs this node whenever the machine does, and say how to start it."),
        ],
        description: [
            "A node runs tasks for coordinators that hold its cluster's key, and for nobody else; no command or code"
                + " comes from the network, and no file is read but images below the folders of --data. It announces itself by DNS-SD unless told not to, and takes up changes of the"
                + " cluster key while it runs.",
            "SIGTERM and Ctrl-C take its announcement back, let running tasks finish and end it with 0; a second Ctrl-C"
                + " ends it at once.",
        ],
        sections: [
            OptionSection(
                title: "Options",
                options: [
                    name.spec, slots.spec, listen.spec, data.spec, noAdvertise.spec, DashboardOption.option.spec,
                    LogOptions.format.spec,
                ]),
            OptionSection(title: "Service", options: [installService.spec, user.spec, dryRun.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.authentication, .input, .interrupted], files: [.key])
}

extension HostAndPort {
    /// Every address of this machine, IPv4 and IPv6, at a free port.
    static let anyAddress = HostAndPort(host: "", port: 0)

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
