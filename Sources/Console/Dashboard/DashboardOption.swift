package import CommandLineKit
import Foundation
package import ScanCluster
package import ScanDashboard
import ScanDiscovery
import ScanNetwork
import ScanSockets

/// The option `--dashboard`: the address of a live page.
package enum DashboardOption {
    /// The loopback address with a free port.
    private static let loopback = SocketAddress(host: "127.0.0.1", port: 0)

    package static let option = Option.optional(
        "dashboard", .listenAddress, layers: .all, implied: loopback,
        help: "Serve a live page and print its link; reachable from this machine only, unless another address is given")

    /// Serves `source` at `address`, and passes the link to `tell`.
    /// - Throws: ``CommandError`` if the address cannot be listened on.
    package static func serve(
        _ source: any DashboardSource, at address: SocketAddress, tell: (String) -> Void
    ) throws(CommandError) -> DashboardServer {
        let server: DashboardServer
        do {
            server = try listen(at: address, source)
        } catch let error as SocketError where address == loopback {
            throw CommandError(
                .failure, "--dashboard: this machine has no loopback address", errno: error.errno,
                remedy: "; set it up, as by `ip link set lo up`, or give another address")
        } catch let error as SocketError {
            throw CommandError(
                .failure, "--dashboard: cannot listen on \(address)", errno: error.errno,
                remedy: "; choose an address of this machine and a free port, or leave both out")
        } catch {
            throw CommandError(.failure, "--dashboard: \(error)")
        }
        tell("dashboard at \(server.link)")
        if !["127.0.0.1", "::1"].contains(server.address.host) {
            tell("the dashboard is not encrypted: anyone who can observe the network can read it and its link")
        }
        return server
    }

    /// Starts a server at the address. If the address is loopback and IPv4 has none, uses that of IPv6.
    private static func listen(at address: SocketAddress, _ source: any DashboardSource) throws -> DashboardServer {
        func server(_ address: SocketAddress) throws -> DashboardServer {
            // If the server listens on all interfaces, the link has an address that browsers on other machines can use.
            let outside = NetworkInterface.address(for: address.host, among: NetworkInterface.current())
            return try DashboardServer(
                listen: address, source: source, names: hostNames, outside: outside ?? "localhost")
        }
        guard address == loopback else { return try server(address) }
        do {
            return try server(address)
        } catch {
            guard let server = try? server(SocketAddress(host: "::1", port: 0)) else { throw error }
            return server
        }
    }

    /// The level of the message with the link. --quiet must not suppress it, since the page cannot be opened without
    /// it.
    package static func level(_ options: CommonOptions) -> Log.Level { options.quiet ? .error : .info }

    /// This machine's names, with and without the domain.
    private static var hostNames: Set<String> {
        let name = ProcessInfo.processInfo.hostName
        let short = String(name.prefix { $0 != "." })
        return [name, short, short + ".local"]
    }
}

extension String {
    /// The text without the token of a live page's link.
    package var withoutToken: String { replacing(/token=[0-9a-f]+/) { _ in "token=..." } }
}
