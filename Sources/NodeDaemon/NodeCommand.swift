package import CommandLineKit
import Console
import Dispatch
import Foundation
internal import ScanBasics
import ScanCluster
import ScanDashboard
import ScanDiscovery
import ScanFarm
import ScanNetwork
import SkyExtraction
import SkyFITS
import SkyScan
internal import ScanSockets

/// `skyfarm node` runs tasks for coordinators on the network.
///
/// The command installs a service, sends an order to the running node of this machine, or runs a node. ``RunningNode``
/// does the last: it owns the server, the owner's rules, the job service and the live page from start to end. This type
/// has the options, starts the server and the page on its behalf, and writes the log. Readers begin at ``run()``.
package struct NodeCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        if let request = options.service { return try install(request) }
        if let order = options.order { return try send(order) }
        let interrupts = Interrupts(beforeExit: {})
        let running = try RunningNode(self, await findName())
        try announce(Ready(name: running.name, address: running.address.description, slots: running.live.slots))
        await running.run(until: interrupts)
        Self.waitForLog()
        return .complete
    }

    /// Returns a resolver of references to local images, or nil if neither `--data` nor `--store` is given.
    func resolver() throws(CommandError) -> WindowResolver? {
        if options.readable.isEmpty { return nil }
        do throws(ImageError) {
            return WindowResolver(try DataFolders(options.readable))
        } catch {
            throw CommandError(.input, "node: --data \(error)")
        }
    }

    func start(_ node: ScanNode) throws(CommandError) -> SocketAddress {
        try failing(.failure, about: "node") {
            do {
                return try node.start() ?? options.address
            } catch let error as SocketError {
                throw CommandError(.failure, Self.words(for: error, listen: options.address))
            }
        }
    }

    /// Starts the live page, or returns nil if it was not requested.
    func serveDashboard(_ source: NodeDashboardSource) throws -> DashboardServer? {
        try options.dashboard.map { place in
            try DashboardOption.serve(source, at: place) { link in
                Self.log.async { options.log.write(DashboardOption.level(options.common), StyledText(link)) }
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

    func say(_ event: ScanNode.Event) {
        switch event {
        case .server(let event): say(event)
        case .announcement(.advertised(let instance), _):
            say("announced as \(ServiceAdvertisement.nodeName(ofInstance: instance))")
        case .announcement(.unavailable(let error), let address):
            say("not announced: \(error); use --node \(Self.reachable(address)) meanwhile")
        case .membership(let change): say(change)
        }
    }

    private func say(_ change: ClusterMembership.Change) {
        switch change {
        case .available: break
        case .unavailable(let error): say(.debug, "peers are not discovered: \(error)")
        case .discovered(let node):
            let addresses = node.addresses.map(\.description).joined(separator: ", ")
            say(.debug, "peer \(name: node.name) discovered at \(addresses)")
        case .departed(let name): say(.debug, "peer \(name: name) is no longer announced")
        case .unused(let name, let reason), .ownMachine(let name, let reason):
            say(.debug, "peer \(name: name) cannot be used: \(reason)")
        case .ambiguous(let words): say(.debug, StyledText(words))
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

    package func say(_ line: String) { say(.info, StyledText(line)) }

    /// Writes a line on a separate queue, since a stopped terminal would otherwise block the event loop and its
    /// heartbeats.
    func say(_ level: Log.Level, _ line: StyledText, job: String? = nil) {
        Self.log.async { options.log.about(job).write(level, line) }
    }

    private static let log = DispatchQueue(label: "skyfarm.node.log")

    /// Returns the address to announce. For a node that listens on all addresses, it is the one most likely to be
    /// reachable.
    static func reachable(_ address: SocketAddress) -> SocketAddress {
        guard let host = NetworkInterface.address(for: address.host, among: NetworkInterface.current()) else {
            return address
        }
        return SocketAddress(host: host, port: address.port)
    }

    /// Waits at most 1 s for the last lines to be written.
    private static func waitForLog() {
        let done = DispatchSemaphore(value: 0)
        log.async { done.signal() }
        _ = done.wait(timeout: .now() + 1)
    }

    private struct Ready: Encodable {
        var v = 1
        var event = "ready"
        var name: String
        var address: String
        var slots: Int
    }
}
