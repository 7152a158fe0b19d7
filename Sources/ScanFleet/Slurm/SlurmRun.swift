import CommandLineKit
import Console
import Foundation
import ImageScanning
import NodeDaemon
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity

/// `skyfarm up --slurm` keeps the nodes that Slurm runs, as ``SlurmPool`` decides, until a signal or, for a fixed
/// number, until all nodes have left.
///
/// ``run()`` listens for the calls by which started nodes join, polls Slurm every few seconds, passes both to the pool
/// as events, and performs its actions: submit, cancel, and update the ``FleetFile`` from which scans take their nodes.
package struct SlurmRun: Sendable {
    var size: SlurmPool.Size
    /// Time without a coordinator after which nodes that may leave do so.
    var idle: Duration
    /// Additional options of sbatch.
    var sbatch: [String]
    /// Options of the nodes.
    var node: [String]
    /// Host at which nodes join, or nil for the address of this machine that others most likely reach.
    var host: String?
    var environment: [String: String]
    var log: Log

    private enum Occasion: Sendable {
        case look
        case joined(JoinCall, host: String)
        case signal
    }

    /// Time between two queries of Slurm.
    private static let interval = Duration.seconds(3)

    func run() async throws -> ExitCode {
        guard let file = FleetFile(environment: environment), let state = UserFolder.state.path(environment),
            let program = NodeService.programPath(
                CommandLine.arguments[0], environment: environment, folder: FileManager.default.currentDirectoryPath)
        else {
            throw CommandError(.failure, "up --slurm: set HOME or XDG_STATE_HOME, and run this program by its path")
        }
        try file.check()
        let slurm = try SlurmCommands(
            name: "skyfarm-\(UInt32.random(in: 0...UInt32.max).hexadecimal)", logs: state + "/slurm",
            environment: environment)
        try failing(.output, about: slurm.logs) {
            try FileManager.default.createDirectory(
                atPath: slurm.logs, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try file.update(expectsNodes: true)
        let (occasions, occasion) = AsyncStream.makeStream(of: Occasion.self)
        let (listener, address) = try listen { occasion.yield($0) }
        log.write(.info, StyledText("nodes join at \(address); their logs are in \(slurm.logs)"))
        let interrupts = Interrupts(beforeExit: {})
        let signals = Task {
            for await _ in interrupts.signals { occasion.yield(.signal) }
        }
        let ticks = Task {
            while (try? await Task.sleep(for: Self.interval)) != nil { occasion.yield(.look) }
        }
        defer {
            signals.cancel()
            ticks.cancel()
        }
        let scripts = Scripts(program: program, address: address, idle: idle, options: node)
        let code = await follow(occasions, Site(slurm: slurm, file: file, scripts: scripts))
        await listener.close()
        try file.update()
        return code
    }

    /// Resources by which the actions of the pool are performed.
    private struct Site {
        var slurm: SlurmCommands
        var file: FleetFile
        var scripts: Scripts
    }

    private struct Scripts {
        var program: String
        var address: SocketAddress
        var idle: Duration
        var options: [String]

        func script(stay: Bool) -> String {
            SlurmCommands.script(program: program, join: address, idle: stay ? nil : idle, options: options)
        }
    }

    /// Accepts the calls by which nodes join.
    private func listen(
        _ handle: @escaping @Sendable (Occasion) -> Void
    ) throws -> (ScanNode, SocketAddress) {
        var limits = NodeServer.Options()
        limits.onCall = { bytes, peer in
            var reply = JoinReply()
            if let call = try? WireDecoder().decode(JoinCall.self, from: bytes), call.action == "join",
                let from = try? SocketAddress(parsing: peer.address)
            {
                handle(.joined(call, host: from.host))
            } else {
                reply.error = "this is `skyfarm up --slurm`, which only lists nodes"
            }
            return (try? WireEncoder().encode(reply)) ?? []
        }
        let listener = ScanNode(
            name: "slurm-\(hostName())", keys: try KeyStore.user().ring(), slots: 1, serving: TaskTypes(), listen: ":0",
            discovering: [], options: limits)
        guard let bound = try failing(.failure, about: "up --slurm", { try listener.start() }) else {
            preconditionFailure("a node that serves has an address")
        }
        let own = NetworkInterface.address(for: "", among: NetworkInterface.current()) ?? "127.0.0.1"
        return (listener, SocketAddress(host: host ?? own, port: bound.port))
    }

    private func follow(_ occasions: AsyncStream<Occasion>, _ site: Site) async -> ExitCode {
        var pool = SlurmPool(size)
        var end: ExitCode?
        var trouble = ""
        await perform(pool.begin(), &pool, site, &end)
        var iterator = occasions.makeAsyncIterator()
        while end == nil, let occasion = await iterator.next() {
            switch occasion {
            case .look:
                do {
                    let tasks = try await site.slurm.tasks()
                    trouble = ""
                    let waiting = WaitingTasks.count(environment: environment)
                    await perform(pool.handle(.queue(tasks, waiting: waiting)), &pool, site, &end)
                } catch {
                    // Slurm may be restarting; running nodes are not affected.
                    if trouble != "\(error)" { log.write(.warning, StyledText(String(describing: error))) }
                    trouble = "\(error)"
                }
            case .joined(let call, let host):
                guard call.name.hasPrefix("slurm-") else { continue }
                let id = String(call.name.dropFirst("slurm-".count)).replacing("-", with: "_")
                let address = SocketAddress(host: host, port: call.port)
                await perform(pool.handle(.joined(id: id, address: address, slots: call.slots)), &pool, site, &end)
            case .signal: await perform(pool.handle(.end), &pool, site, &end)
            }
        }
        return end ?? .failure
    }

    private func perform(
        _ actions: [SlurmPool.Action], _ pool: inout SlurmPool, _ site: Site, _ end: inout ExitCode?
    ) async {
        var actions = actions[...]
        while let action = actions.popFirst() {
            do {
                switch action {
                case .submit(let count, let stay):
                    let ids = try await site.slurm.submit(count, site.scripts.script(stay: stay), sbatch)
                    log.write(.info, StyledText("submitted \(HumanFormat.count(count, "node")) to Slurm"))
                    actions += pool.handle(.submitted(ids, stay: stay))
                case .cancel(let ids): try await site.slurm.cancel(ids)
                case .list(let nodes, let gone): try site.file.update(with: nodes, without: gone, expectsNodes: true)
                case .tell(let line): log.write(.info, StyledText(line))
                case .finish(let code): end = code
                }
            } catch {
                if case .submit = action {
                    actions += pool.handle(.refused("\(error)"))
                } else {
                    log.write(.warning, StyledText(String(describing: error)))
                }
            }
        }
    }
}
