import CommandLineKit
import Dispatch
import Foundation
internal import ScanBasics
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import SkyExtraction
import SkyFITS
import SkyScan

/// `skyfarm node`: runs tasks for coordinators on the network.
struct NodeCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        if let request = options.service { return try install(request) }
        if let order = options.order { return try send(order) }
        let interrupts = Interrupts(beforeExit: {})
        let name = options.name ?? Self.uniqueName()
        let slots = options.slots ?? ProcessInfo.processInfo.activeProcessorCount
        let store = try KeyStore.user()
        let keys = try store.ring()
        let live = LiveNode(name: name, slots: slots)
        let presence = Locked(CoordinatorPresence())
        var limits = NodeServer.Options()
        limits.niceness = options.niceness
        limits.tags = Set(options.tags)
        limits.mayUseAnotherPort = options.listen == nil
        if let memory = options.memory {
            (limits.bulkLimit, limits.bulkCacheLimit) = (memory * 2 / 3, min(1 << 30, memory / 3))
        }
        let observer = try MachineObserver(options.rules)
        let owner = NodeOwner(options.rules, clock: EventLoop.shared) { observer.read() }
        limits.onOrder = { owner.handle(.order($0, by: "\($1)")) }
        let idle = IdleStop(after: options.idleStop, clock: EventLoop.shared)
        let load = Locked<(@Sendable () -> NodeLoad)?>(nil)
        let jobs = try jobService(name) { load.withLock { $0 }?() }
        let calls = NodeCallService(store: try fileStore(), jobs: jobs)
        if calls.isNeeded { limits.onCall = { body, peer in await calls.answer(body, peer) } }
        limits.onCallsEnded = { calls.store?.ended($0) }
        let node = ScanNode(
            name: name, keys: keys, slots: slots, serving: .sky, listen: options.address.description,
            discovering: options.advertises ? [DNSServiceDiscovery()] : [], resolver: try resolver(), options: limits
        ) { [self] event in
            if case .server(let event) = event {
                live.note(event)
                idle?.note(event)
                Self.giveBackMemory(after: event, presence)
            }
            say(event)
        }
        guard let server = node.server else { preconditionFailure("a node that serves has a server") }
        let bound = try start(node)
        if options.listen == nil, bound.port != options.address.port {
            say("port \(options.address.port) is taken: this node listens on port \(bound.port)")
        }
        let address = Self.reachable(bound)
        load.withLock { $0 = { NodeLoad(server, live, address) } }
        let peers: @Sendable () -> [[SocketAddress]] = { [[address]] + node.membership.peers.map(\.node.addresses) }
        let cluster = ClusterWatch(
            keys: { try store.ring() }, addresses: { peers() + options.clusterNodes.map { [$0] } }, live: live)
        let dashboard = try options.dashboard.map { place in
            try DashboardOption.serve(NodeDashboardSource(server, live, address, cluster), at: place) { link in
                Self.log.async { options.log.write(DashboardOption.level(options.common), StyledText(link)) }
            }
        }
        try announce(Ready(name: name, address: address.description, slots: slots))
        let signals = OwnerSignals { owner.handle($0) }
        let service = Task {
            await serveJobs(jobs, owner) { peers().map { $0.map(\.description) } }
        }
        let watching = Task { if dashboard != nil { await cluster.run() } }
        let obeying = Task { await obey(owner, node) }
        let following = Task {
            for await keys in store.changes(of: keys, onTrouble: { say("still using the old keys: \($0)") }) {
                await node.use(keys)
                say("the cluster key is now \(keys.current.fingerprint)")
            }
        }
        let joining = options.join.map { place in
            Task { await join(place, as: JoinCall(name: name, port: address.port, slots: slots), keys: keys) }
        }
        // Any signal drains the node, SIGHUP included; nohup keeps it running after its terminal is closed.
        await end(interrupts, idle)
        joining?.cancel()
        withExtendedLifetime(signals) {}
        service.cancel()
        await service.value
        watching.cancel()
        obeying.cancel()
        await obeying.value
        following.cancel()
        await following.value
        // Withdraws the announcement first, so that no new coordinator connects.
        await node.withdraw()
        live.drain()
        await drain(node, server, interrupts)
        live.end()
        await dashboard?.close(within: 1)
        Self.waitForLog()
        return .complete
    }

    /// Pauses and resumes the node until the task is cancelled.
    private func obey(_ owner: NodeOwner, _ node: ScanNode) async {
        for await pause in owner.pauses {
            if let pause { await node.pause(pause) } else { await node.resume() }
        }
    }

    /// Resolves references to local images; nil if neither --data nor --store is given.
    private func resolver() throws(CommandError) -> WindowResolver? {
        if options.readable.isEmpty { return nil }
        do throws(ImageError) {
            return WindowResolver(try DataFolders(options.readable))
        } catch {
            throw CommandError(.input, "node: --data \(error)")
        }
    }

    private func start(_ node: ScanNode) throws(CommandError) -> SocketAddress {
        try failing(.failure, about: "node") {
            try SEPVersion.requireFixedDraw()
            do {
                return try node.start() ?? options.address
            } catch let error as SocketError {
                throw CommandError(.failure, Self.words(for: error, listen: options.address))
            }
        }
    }

    private static func words(for error: SocketError, listen: SocketAddress) -> String {
        let remedy =
            switch error.errno {
            case EADDRINUSE: "choose another port, or 0 for a free one"
            case EACCES: "choose a port above 1023, or 0 for a free one"
            default: "choose an address of this machine, as in --listen 0.0.0.0:\(listen.port) for all of them"
            }
        return "cannot listen on \(listen): \(String(cString: strerror(error.errno)).lowercased()); \(remedy)"
    }

    private func announce(_ ready: Ready) throws {
        try StandardOutput.write(
            options.common.json
                ? JSONOutput.line(ready) : "ready \(ready.name) \(ready.address) slots \(ready.slots)\n")
    }

    /// Lets running tasks finish; a second SIGINT ends the process at once.
    private func drain(_ node: ScanNode, _ server: NodeServer, _ interrupts: Interrupts) async {
        let running = server.status.running + server.status.queued
        if running > 0 { say("finishing \(HumanFormat.count(running, "task")); press Ctrl-C again to stop at once") }
        await node.drain()
        withExtendedLifetime(interrupts) {}
    }

    private func say(_ event: ScanNode.Event) {
        switch event {
        case .server(let event): say(event)
        case .announcement(.advertised(let name), _): say("announced as \(name)")
        case .announcement(.unavailable(let error), let address):
            say("not announced: \(error); use --node \(Self.reachable(address)) meanwhile")
        case .membership(let news): say(news)
        }
    }

    private func say(_ news: ClusterMembership.News) {
        switch news {
        case .available: break
        case .unavailable(let error): say(.debug, "peers are not discovered: \(error)")
        case .discovered(let node):
            let addresses = node.addresses.map(\.description).joined(separator: ", ")
            say(.debug, "peer \(name: node.name) discovered at \(addresses)")
        case .departed(let name): say(.debug, "peer \(name: name) is no longer announced")
        case .unused(let name, let reason): say(.debug, "peer \(name: name) cannot be used: \(reason)")
        }
    }

    private func say(_ event: NodeServer.Event) {
        let level: Log.Level =
            switch event {
            case .connected, .disconnected, .unreadable, .paused, .freed, .resumed, .ordered: .info
            case .refused, .declined, .failed, .troubled: .warning
            }
        say(level, "\(event)", job: event.job)
    }

    func say(_ line: String) { say(.info, StyledText(line)) }

    /// Writes a line on a queue of its own: a stopped terminal would otherwise block the event loop and its heartbeats.
    private func say(_ level: Log.Level, _ line: StyledText, job: String? = nil) {
        Self.log.async { options.log.about(job).write(level, line) }
    }

    private static let log = DispatchQueue(label: "skyfarm.node.log")

    /// Returns the memory of scans to the system after a minute without a coordinator.
    private static func giveBackMemory(after event: NodeServer.Event, _ presence: Locked<CoordinatorPresence>) {
        if case .connected = event { presence.withLock { $0.begin() } }
        guard case .disconnected = event, let mark = presence.withLock({ $0.end() }) else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 60) {
            if presence.withLock({ $0.isIdle(since: mark) }) { FreedMemory.giveBack() }
        }
    }

    /// The address to announce; for a node that listens on all addresses, the one most likely to be reachable.
    private static func reachable(_ address: SocketAddress) -> SocketAddress {
        guard let host = NetworkInterface.address(for: address.host, among: NetworkInterface.current()) else {
            return address
        }
        return SocketAddress(host: host, port: address.port)
    }

    /// Waits until the last lines are written, at most 1 s.
    private static func waitForLog() {
        let done = DispatchSemaphore(value: 0)
        log.async { done.signal() }
        _ = done.wait(timeout: .now() + 1)
    }

    /// The host's name with four random digits, to distinguish nodes on one host.
    private static func uniqueName() -> String {
        let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.filter { !$0.isWhitespace }
        return "\(host.isEmpty ? "node" : host)-\(UInt16.random(in: 0...UInt16.max).hexadecimal)"
    }

    private struct Ready: Encodable {
        var v = 1
        var event = "ready"
        var name: String
        var address: String
        var slots: Int
    }
}
