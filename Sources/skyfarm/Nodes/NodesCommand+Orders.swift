package import CommandLineKit
import Console
import ImageScanning
import ScanCluster
import ScanFarm
package import ScanNetwork
import ScanSecurity

extension NodesCommand.Options {
    package static func action(_ words: [String]) throws(UsageError) -> Action {
        let names = Array(words.dropFirst())
        switch words.first ?? "list" {
        case "list":
            if let name = names.first { throw UsageError("unexpected argument \"\(name)\": nodes list takes no name") }
            return .list
        case let verb:
            guard let order = NodeOrder(rawValue: verb) else {
                throw UsageError(
                    "unknown action \"\(verb)\"\(suggestion(for: verb, among: Action.names))"
                        + " (see skyfarm nodes --help)")
            }
            if names.isEmpty { throw UsageError("nodes \(verb): NAME is missing; `skyfarm nodes` lists the names") }
            return .order(order, names)
        }
    }
}

extension NodesCommand {
    /// Sends an order to each of the nodes, given by name or address.
    package func send(_ order: NodeOrder, to names: [String]) async throws -> ExitCode {
        let keys = try KeyStore.user().ring()
        var found: [String: [[SocketAddress]]] = [:]
        for name in names {
            if let address = ValueForm<SocketAddress>.hostAndPort.parse(name) { found[name] = [[address]] }
        }
        let sought = names.filter { found[$0] == nil }
        if !sought.isEmpty { found.merge(try await look(for: sought, keys)) { $1 } }
        var code = ExitCode.complete
        for name in names {
            guard let nodes = found[name], !nodes.isEmpty else {
                StandardError.write("skyfarm nodes: no node \(name) was found; `skyfarm nodes` lists the names\n")
                code = .noUsableNode
                continue
            }
            for addresses in nodes {
                do {
                    let outcome = try await RemoteNodes.order(order, at: addresses, keys: keys)
                    try StandardOutput.write("\(outcome.name)  \(Self.words(outcome))\n")
                    if order == .resume, outcome.pause != nil { code = .noUsableNode }
                } catch let error as ConnectError {
                    StandardError.write("skyfarm nodes: \(name): \(error.message)\n")
                    code = error.code == .authentication ? .authentication : .noUsableNode
                }
            }
        }
        return code
    }

    private static func words(_ outcome: RemoteNodes.OrderOutcome) -> String {
        outcome.pause.map { "paused: \($0)" } ?? "runs tasks"
    }

    /// Returns the addresses of nodes that are announced under these names or whose addresses were given.
    private func look(for names: [String], _ keys: KeyRing) async throws -> [String: [[SocketAddress]]] {
        let node = ScanNode(
            keys: keys, nodes: options.nodes.map(\.description),
            discovering: NodeSources(discovers: options.discovers, srv: options.srv).all, remote: .sky)
        try node.start()
        defer { node.disconnect() }
        func found() async -> [String: [[SocketAddress]]] {
            let announced = node.membership.peers.map { ($0.node.name, $0.node.addresses) }
            let given = await node.connections.states.compactMap { state in
                state.node.flatMap { node in (try? SocketAddress(parsing: state.address)).map { (node.name, [$0]) } }
            }
            let all = announced + given
            return Dictionary(grouping: all.filter { names.contains($0.0) }, by: \.0).mapValues { $0.map(\.1) }
        }
        var result = await found()
        let end = ContinuousClock.now + .seconds(options.waitSeconds)
        while result.count < names.count, .now < end {
            try await Task.sleep(for: .milliseconds(50))
            result = await found()
        }
        for error in node.membership.errors { say("\(error)") }
        return result
    }
}
