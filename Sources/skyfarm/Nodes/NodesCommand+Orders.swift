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
    /// A node that may get an order.
    private struct Candidate {
        var identity: SystemID
        var name: String
        var addresses: [SocketAddress]

        var label: String { addresses.first.map { "\(name) (\($0))" } ?? name }
    }

    /// Sends an order to each of the nodes, given by name or address.
    package func send(_ order: NodeOrder, to names: [String]) async throws -> ExitCode {
        let keys = try KeyStore.user().ring()
        let given = names.map { ValueForm<SocketAddress>.hostAndPort.parse($0) }
        let words = zip(names, given).filter { $0.1 == nil }.map { NodeWord($0.0) }
        let nodes = words.isEmpty ? [] : try await look(for: words, keys)
        var code = ExitCode.complete
        for (name, address) in zip(names, given) {
            do {
                let targets = try address.map { [[$0]] } ?? Self.targets(of: NodeWord(name), among: nodes)
                for addresses in targets {
                    let outcome = try await RemoteNodes.order(order, at: addresses, keys: keys)
                    try StandardOutput.write("\(outcome.name)  \(Self.words(outcome))\n")
                    if order == .resume, outcome.pause != nil { code = .noUsableNode }
                }
            } catch let error as ConnectError {
                StandardError.write("skyfarm nodes: \(name): \(error.message)\n")
                code = error.code == .authentication ? .authentication : .noUsableNode
            } catch let error as CommandError {
                StandardError.write("skyfarm nodes: \(error)\n")
                code = error.code
            }
        }
        return code
    }

    /// Returns the addresses of the node that the word selects, or of all nodes that match a pattern.
    private static func targets(
        of word: NodeWord, among nodes: [Candidate]
    ) throws(CommandError) -> [[SocketAddress]] {
        if word.isPattern, case .chosen(let chosen) = word.choice(among: nodes, name: \.name) {
            return chosen.map(\.addresses)
        }
        return [try word.node(among: nodes, name: \.name, label: \.label).addresses]
    }

    private static func words(_ outcome: RemoteNodes.OrderOutcome) -> String {
        outcome.pause.map { "paused: \($0)" } ?? "runs tasks"
    }

    /// Returns the nodes that are announced or whose addresses were given, each once. Stops looking as soon as every word
    /// is the whole name of one of them.
    private func look(for words: [NodeWord], _ keys: KeyRing) async throws -> [Candidate] {
        let node = ScanNode(
            keys: keys, nodes: options.nodes.map(\.description),
            discovering: NodeSources(discovers: options.discovers, srv: options.srv).all, remote: .sky)
        try node.start()
        defer { node.disconnect() }
        func found() async -> [Candidate] {
            let states = await node.connections.states
            let connected = states.compactMap { state in
                (try? SocketAddress(parsing: state.address)).flatMap { address in
                    state.node.map { Candidate(identity: $0.identity, name: $0.name, addresses: [address]) }
                }
            }
            let announced = node.membership.peers.filter { $0.unusableReason?.cause != .key }.compactMap { peer in
                peer.node.advertisement.id.map {
                    Candidate(identity: $0, name: peer.node.name, addresses: peer.node.addresses)
                }
            }
            return (announced + connected).reduce(into: [Candidate]()) { nodes, node in
                if !nodes.contains(where: { $0.identity == node.identity }) { nodes.append(node) }
            }
        }
        func isKnown(_ word: NodeWord, _ nodes: [Candidate]) -> Bool { nodes.contains { $0.name == word.text } }
        var nodes = await found()
        let end = ContinuousClock.now + .seconds(options.waitSeconds)
        while !words.allSatisfy({ isKnown($0, nodes) }), .now < end {
            try await Task.sleep(for: .milliseconds(50))
            nodes = await found()
        }
        for error in node.membership.errors { say("\(error)") }
        return nodes
    }
}
