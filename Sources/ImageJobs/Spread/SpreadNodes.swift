import CommandLineKit
import ImageScanning
import ScanCluster
import ScanNetwork

/// Nodes to which files are copied, each with a connection for calls.
struct SpreadNodes: Sendable {
    /// Connections in the order of the nodes' names.
    let calls: [NodeCalls]
    /// The nodes that the options name, other than by a pattern.
    let required: Set<SystemID>

    var names: [String] { calls.map(\.node.name) }

    /// Finds the nodes that the options select among those that answer. Nodes without a store are left out if a pattern
    /// selects them.
    /// - Throws: `CommandError` if there is none, or if a named node does not answer.
    static func find(_ options: SpreadCommand.Options) async throws -> SpreadNodes {
        let words = options.targets.map(NodeWord.init)
        let named = words.filter { !$0.isPattern }
        let view = try await options.cluster.view(
            until: named.isEmpty ? nil : { view in named.allSatisfy { $0.isName(of: view.nodes) } })
        let silent = view.troubles.isEmpty ? "" : " (\(view.troubles.joined(separator: "; ")))"
        var identities: Set<SystemID> = []
        do {
            for word in named {
                identities.insert(try word.node(among: view.nodes, troubles: view.troubles).node.identity)
            }
        } catch {
            for node in view.nodes { node.close() }
            throw error
        }
        let required = identities
        for word in words where word.isPattern {
            if case .chosen(let nodes) = word.choice(among: view.nodes, name: \.node.name) {
                identities.formUnion(nodes.map(\.node.identity))
            }
        }
        let chosen = view.nodes.filter { identities.contains($0.node.identity) }
        for node in view.nodes where !identities.contains(node.node.identity) { node.close() }
        guard !chosen.isEmpty else {
            throw CommandError(.noUsableNode, "spread: no node answers; run `skyfarm node --store DIR` on one\(silent)")
        }
        for trouble in view.troubles { options.log.write(.warning, "\(trouble)") }
        return SpreadNodes(calls: chosen, required: required)
    }

    func close() { for node in calls { node.close() } }

    /// A node with a store.
    struct Found: Sendable {
        /// Its position in ``calls``.
        var index: Int
        var plan: SpreadPlan.Node
    }

    /// Answers of all nodes about the files that they have.
    struct Look: Sendable {
        /// Nodes with a store, in the order of ``calls``.
        var found: [Found] = []
        /// Errors of the other nodes, by their positions in ``calls``.
        var troubles: [Int: CommandError] = [:]
    }

    /// Answer of one node.
    private struct Answer: Sendable {
        var index: Int
        var plan: Result<SpreadPlan.Node, any Error>
    }

    /// Asks each node for the free space of its store, and which of `files` it has.
    func look(for files: [StoredFile]) async -> Look {
        var look = Look()
        await withTaskGroup(of: Answer.self) { group in
            for (index, node) in calls.enumerated() {
                group.addTask {
                    do {
                        return Answer(index: index, plan: .success(try await Self.look(for: files, on: node)))
                    } catch {
                        return Answer(index: index, plan: .failure(error))
                    }
                }
            }
            for await answer in group {
                switch answer.plan {
                case .success(let plan): look.found.append(Found(index: answer.index, plan: plan))
                case .failure(let error): look.troubles[answer.index] = CommandError(error, in: "spread")
                }
            }
        }
        look.found.sort { $0.index < $1.index }
        return look
    }

    private static func look(for files: [StoredFile], on node: NodeCalls) async throws -> SpreadPlan.Node {
        var plan = SpreadPlan.Node(name: node.node.name, slots: node.node.slots, room: 0)
        var start = 0
        repeat {
            var request = StoreRequest(.look)
            request.files = Array(files[start...].prefix(StoreRequest.lookLimit))
            let reply = try await node.send(request)
            plan.room = reply.room ?? 0
            plan.has.formUnion(
                (reply.has ?? []).filter { (0..<StoreRequest.lookLimit).contains($0) }.map { $0 + start })
            start += StoreRequest.lookLimit
        } while start < files.count
        return plan
    }
}
