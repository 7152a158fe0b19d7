package import CommandLineKit

extension UpCommand {
    private static let slurm = Option.toggle("slurm", help: "Start nodes by Slurm instead of ssh")
    private static let nodes = Option.optional(
        "nodes", .integer("N", 1...4096), fallback: "1", help: "Number of nodes, submitted once")
    private static let least = Option.optional(
        "min", .integer("N", 0...4096), fallback: "0, with --max", help: "Least number of nodes, which do not leave")
    private static let most = Option.optional(
        "max", .integer("N", 1...4096), help: "Greatest number of nodes, by the tasks that wait")
    private static let partition = Option.optional("partition", .word("NAME"), help: "Partition of the nodes")
    private static let sbatch = Option.list(
        "sbatch", .text("OPTION", expected: "an option of sbatch, as in --sbatch=--time=2:00:00"),
        help: "Further option of sbatch, as in --sbatch=--time=2:00:00")
    private static let idleStop = Option.value(
        "idle-stop", .duration, default: .seconds(300), help: "Nodes leave after this time without a coordinator")
    private static let address = Option.optional(
        "address", .word("HOST"), fallback: "the first address of this machine",
        help: "Name or address of this machine at which nodes reach it")

    static let slurmOptions = [
        slurm.spec, nodes.spec, least.spec, most.spec, partition.spec, idleStop.spec, sbatch.spec, address.spec,
    ]

    /// Returns the run by Slurm, or nil if hosts are named.
    package static func slurm(_ arguments: Arguments, _ options: Options) throws(UsageError) -> SlurmRun? {
        guard try arguments[slurm] else {
            if let given = slurmOptions.first(where: { arguments.flags[$0.name] != nil }) {
                throw UsageError("up: --\(given.name) belongs to --slurm")
            }
            if options.hosts.isEmpty { throw UsageError("up: name hosts, or use --slurm (see skyfarm up --help)") }
            return nil
        }
        if let host = options.hosts.first { throw UsageError("up: use either --slurm or hosts, as \(host)") }
        if options.node.contains(where: { $0 == "--name" || $0.hasPrefix("--name=") }) {
            throw UsageError("up --slurm: nodes are named by their tasks; leave --name out")
        }
        if options.common.json { throw UsageError("up --slurm: --json belongs to up with hosts") }
        var further = try arguments[sbatch]
        if let name = try arguments[partition] { further.insert("--partition=\(name)", at: 0) }
        return SlurmRun(
            size: try size(arguments), idle: try arguments[idleStop], sbatch: further, node: options.node,
            host: try arguments[address], environment: options.environment, log: options.log)
    }

    private static func size(_ arguments: Arguments) throws(UsageError) -> SlurmPool.Size {
        switch (try arguments[nodes], try arguments[least], try arguments[most]) {
        case (let count, nil, nil): return .fixed(count ?? 1)
        case (nil, let low, let high?) where low ?? 0 <= high: return .elastic((low ?? 0)...high)
        case (nil, _, nil): throw UsageError("up --slurm: --min needs --max")
        case (nil, _, _): throw UsageError("up --slurm: --min must not be above --max")
        default: throw UsageError("up --slurm: use either --nodes or --min and --max")
        }
    }
}
