package import CommandLineKit
package import Console
package import ScanCluster
package import ScanNetwork

extension NodeCommand {
    package struct Options: Equatable, Sendable {
        /// The node's name, or nil to derive it from the host's name.
        package var name: String?
        /// Number of tasks that run at a time, or nil for one per core.
        package var slots: Int?
        /// Address to listen on, or nil for the default port, or a free port if that one is in use.
        package var listen: SocketAddress?
        /// Added to the nice value of the scanning threads.
        package var niceness: Int
        /// Capabilities of this machine that tasks may require.
        package var tags: [String]
        /// Memory for pixels in bytes, or nil to derive it from the machine's memory.
        package var memory: Int?
        package var rules: OwnerRules
        /// Maximum number of submitted jobs that run at a time.
        package var jobs: Int
        /// Folders in which this node runs jobs of other machines.
        var acceptedFolders: [String]
        /// Lease of a job in seconds.
        var jobLease: Double
        /// Order to pause or resume the running node of this machine instead of running one.
        package var order: NodeOrder?
        /// Time without a coordinator after which the node exits.
        var idleStop: Duration?
        /// Address of the process that is told when this node has started.
        package var join: SocketAddress?
        /// Environment variables that determine the paths of the socket and of the submitted jobs.
        package var environment: [String: String]
        /// Folders of images that coordinators may reference.
        package var data: [String]
        /// Folder for files that holders of the key send, or nil to accept none.
        package var store: String?
        /// Maximum size of the store in bytes.
        var storeLimit: Int
        /// Programs that coordinators may ask for by name.
        package var programs: ProgramOptions
        package var modules: PythonOptions
        var advertises: Bool
        /// Nodes that the live page shows in addition to the discovered ones.
        var clusterNodes: [SocketAddress]
        /// Address of the live page, or nil for no page.
        package var dashboard: SocketAddress?
        package var log: Log
        package var common: CommonOptions
        /// Request to install a service, or nil to run the node.
        package var service: ServiceRequest?

        package init(_ arguments: Arguments) throws(UsageError) {
            name = try arguments[NodeCommand.name]
            slots = try arguments[NodeCommand.slots]
            listen = try arguments[NodeCommand.listen]
            niceness = try arguments[NodeCommand.nice]
            memory = try arguments[NodeCommand.memory]
            tags = try arguments[NodeCommand.tags]
            programs = try ProgramOptions(arguments, NodeCommand.program)
            modules = try PythonOptions(arguments, NodeCommand.python)
            if tags.count + programs.programs.count + modules.modules.count > NodeInfo.tagLimit.count {
                throw UsageError("node: at most \(NodeInfo.tagLimit.count) tags, programs and modules")
            }
            rules = OwnerRules(
                maxLoad: try arguments[NodeCommand.maxLoad], idle: try arguments[NodeCommand.whenIdle],
                hours: try arguments[NodeCommand.hours])
            jobs = try arguments[NodeCommand.jobs]
            idleStop = try arguments[NodeCommand.idleStop]
            join = try arguments[NodeCommand.join]
            acceptedFolders = try arguments[NodeCommand.acceptJobs]
            jobLease = try arguments[NodeCommand.jobLease]
            order = try Self.order(arguments)
            environment = arguments.environment
            data = try arguments[NodeCommand.data]
            store = try arguments[NodeCommand.store]
            storeLimit = try arguments[NodeCommand.storeLimit]
            advertises = try !arguments[NodeCommand.noAdvertise]
            dashboard = try arguments[DashboardOption.option]
            clusterNodes = try arguments[NodeCommand.clusterNodes]
            log = try Log(program: "skyfarm node", arguments)
            common = try CommonOptions(arguments)
            service = try NodeCommand.serviceRequest(arguments)
        }
    }

    static let clusterNodes = Option.list(
        "node", .hostAndPort, layers: .environment("SKYFARM_NODES"),
        help: "With --dashboard: show the node at this address as well")
    package static let jobs = Option.value(
        "jobs", .integer("N", 0...64), default: 2, layers: .all,
        help: "Number of submitted jobs to run at a time; 0 takes none")
    package static let pause = Option.toggle(
        "pause", help: "Pause the node of this machine that your user runs, and exit")
    package static let resume = Option.toggle(
        "resume", help: "Resume the node of this machine that your user runs, and exit")

    private static let name = Option.optional(
        "name", .word("NAME"), fallback: "the host's name; further nodes of that name get a lasting suffix",
        layers: .environment("SKYFARM_NODE_NAME"),
        help: "Name of this node")
    private static let slots = Option.optional(
        "slots", .slots, fallback: "one per core", layers: .all,
        help: "Number of tasks to run at a time, or a percentage of the processors")
    private static let listen = Option.optional(
        "listen", .listenAddress, fallback: "\(SocketAddress.usual), or a free port if it is taken", layers: .all,
        help: "Address and port to listen on; an empty address means all, port 0 a free port")
    package static let nice = Option.value(
        "nice", .integer("N", 0...19), default: 0, layers: .all,
        help: "Scan at a priority that is lower by N, so that other programs take precedence (Linux)")
    package static let memory = Option.optional(
        "memory", .bytes, fallback: "three quarters of the machine's", layers: .all,
        help:
            "Memory for pixels of tasks that run or wait, and for programs of skyfarm map --memory; or a percentage of"
            + " the machine's")
    package static let tags = Option.list(
        "tag", .tag, layers: .all,
        help: "Say that this machine has TAG, such as gpu or fast-disk: tasks of the library may need it")
    package static let maxLoad = Option.optional(
        "max-load", .number("L", 0...1024), layers: .all,
        help: "Pause while other programs keep more than L processors busy (Linux)")
    static let whenIdle = Option.optional(
        "when-idle", .duration, layers: .all,
        help: "Run tasks only if nobody has used this machine for TIME, as in 10m (Linux)")
    private static let hours = Option.optional(
        "hours", .hours, layers: .all, help: "Run tasks only in this part of the day, local time, as in 20:00-07:00")
    static let program = Option.list(
        "program", .program, layers: .environment("SKYFARM_PROGRAMS"),
        help: "Run the program at PATH for holders of the key, who ask for it by NAME with skyfarm map")
    static let python = Option.list(
        "python", .pythonModule, layers: .environment("SKYFARM_PYTHON_MODULES"),
        help: "Call functions of the Python module at PATH for holders of the key, who ask for them by skyfarm call")
    private static let data = Option.list(
        "data", .text("DIR", expected: "the name of a folder"), layers: .all,
        help:
            "Read images, and inputs of programs, below this folder from disk if the coordinator has the same files,"
            + " instead of receiving them"
    )
    private static let noAdvertise = Option.toggle(
        "no-advertise", layers: .all, help: "Do not announce this node on the local network, or discover others")

    package static let spec = CommandSpec(
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
                line: "skyfarm node --slots 50% --max-load 2 --hours 20:00-07:00",
                explanation:
                    "Run tasks at night only, on half of the processors, and pause while other programs need more than"
                    + " two."),
            .init(
                line: "sudo skyfarm node --install-service --slots 4",
                explanation: "Install a service that runs this node, and print how to start it."),
        ],
        description: [
            "A node runs tasks only for coordinators that hold its cluster key. It accepts no commands or code from the"
                + " network, reads no files other than images, and inputs of programs, below the folders of --data and"
                + " --store, and writes none but FITS files below that of --store. With --program, holders of the key"
                + " choose the arguments and input files of that program, which runs as the user of the node, in a folder"
                + " of its own below --scratch; with --python, they choose the arguments of that module's functions. It"
                + " announces itself by DNS-SD, and picks up a new cluster key without a restart.",
            "A firewall must accept TCP port \(SocketAddress.usual.port), or the port of --listen, and for discovery"
                + " UDP port 5353. A second node of a machine listens on a free port.",
            "The owner of the machine has the last word: SIGUSR1 or --pause pauses the node, SIGUSR2 or --resume resumes it, and it pauses by itself"
                + " while --max-load, --when-idle or --hours forbid tasks. A node that pauses gives waiting tasks back to"
                + " their coordinators at once and running ones after a second; no attempt is counted. It resumes when"
                + " other programs have needed no more than --max-load for 30 s. --when-idle goes by what was typed at"
                + " terminals, as w(1) shows it, and by interrupts of PS/2 and built-in keyboards and pointers; it does"
                + " not see USB keyboards of a graphical session. Holders of the cluster key pause nodes with skyfarm"
                + " nodes pause NAME, and end only pauses of that kind.",
            "On SIGTERM or Ctrl-C the node withdraws its announcement, finishes running tasks and exits with 0; a"
                + " second Ctrl-C stops it at once.",
        ],
        sections: [
            OptionSection(
                title: "Options",
                options: [
                    name.spec, slots.spec, memory.spec, listen.spec, data.spec, store.spec, storeLimit.spec,
                    noAdvertise.spec, jobs.spec,
                    tags.spec, idleStop.spec, join.spec, acceptJobs.spec, jobLease.spec,
                    DashboardOption.option.spec, clusterNodes.spec,
                    LogOptions.format.spec,
                ]),
            OptionSection(
                title: "Owner", options: [nice.spec, maxLoad.spec, whenIdle.spec, hours.spec, pause.spec, resume.spec]),
            OptionSection(title: "Programs", options: [program.spec, python.spec] + ProgramOptions.limitOptions),
            OptionSection(title: "Service", options: [installService.spec, user.spec, dryRun.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.noUsableNode, .authentication, .input, .interrupted], files: [.key, .names, .submitted])
}

extension SocketAddress {
    /// Every address of this machine, IPv4 and IPv6, with the default port of nodes.
    package static let usual = SocketAddress(host: "", port: 4870)
}

extension ValueForm where Value == String {
    /// Parses a tag of a node.
    fileprivate static var tag: ValueForm {
        ValueForm(
            placeholder: "TAG",
            expected: "a tag: up to \(NodeInfo.tagLimit.bytes) ASCII letters, digits, '-', '_' and '.'",
            parse: { text in
                let isTag = text.utf8.allSatisfy { byte in
                    let character = Character(UnicodeScalar(byte))
                    return byte < 128 && (character.isLetter || character.isNumber || "-_.".contains(character))
                }
                return isTag && (1...NodeInfo.tagLimit.bytes).contains(text.utf8.count) ? text : nil
            }, show: { $0 })
    }
}

extension NodeCommand.Options {
    /// Address to listen on.
    package var address: SocketAddress { listen ?? .usual }

    /// All folders whose images coordinators may reference.
    var readable: [String] { data + [store].compactMap(\.self) }
}
