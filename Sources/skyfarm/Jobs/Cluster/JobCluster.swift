import CommandLineKit
import Dispatch
import Foundation
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity

/// The nodes of the cluster, as a command about jobs sees them. Each is asked at the same time; one that does not answer
/// in time is left out and named.
struct JobCluster: Equatable, Sendable {
    /// The jobs of the nodes, and those that answered.
    struct View: Sendable {
        var nodes: [NodeCalls] = []
        var rows: [JobsCommand.SubmittedRow] = []
        /// One line for each node that cannot be asked.
        var troubles: [String] = []
    }

    let nodes: [SocketAddress]
    let srv: [String]
    let discovers: Bool
    let environment: [String: String]

    /// Time in which nodes must answer.
    static let limit = Duration.milliseconds(800)
    /// Time in which nodes must answer when they are asked again.
    static let patience = Duration.seconds(5)
    /// Time for discovery, if no node of this machine knows the others.
    static let search = Duration.milliseconds(400)

    /// Asks all nodes for their jobs.
    func view(_ limit: Duration = limit) async throws -> View {
        let targets = await addresses()
        guard !targets.isEmpty else { return View() }
        let keys = try KeyStore.user().ring()
        let replies = poll(targets, within: limit) {
            await Self.ask($0, keys)
        } late: {
            try? $0.get().calls.close()
        }
        var (view, seen, silent) = (View(), Set<SystemID>(), Set(targets))
        for await (target, result) in replies {
            silent.remove(target)
            switch result {
            case .success(let answer):
                if seen.insert(answer.calls.node.identity).inserted {
                    view.nodes.append(answer.calls)
                    view.rows += answer.rows
                }
            case .failure(let error):
                let error = error as? ScanError
                view.troubles.append(
                    "\(error?.system ?? target.first?.description ?? "a node") \(error?.message ?? "cannot be asked")")
            }
            if silent.isEmpty { break }
        }
        view.troubles += silent.compactMap(\.first).map { "\($0) does not answer" }.sorted()
        view.nodes.sort { $0.node.name < $1.node.name }
        view.rows = Self.merged(view.rows)
        return view
    }

    /// Asks all nodes for their jobs. If some were silent and the answers do not suffice, all are asked again and have
    /// longer: the link of the node that is meant may be full of pixels.
    func view(thatSuffices suffices: (View) -> Bool) async throws -> View {
        let view = try await view()
        if view.troubles.isEmpty || suffices(view) { return view }
        for calls in view.nodes { calls.close() }
        return try await self.view(Self.patience)
    }

    private struct Answer: Sendable {
        var calls: NodeCalls
        var rows: [JobsCommand.SubmittedRow]
    }

    private static func ask(_ target: [SocketAddress], _ keys: KeyRing) async -> Result<Answer, any Error> {
        do {
            let calls = try await NodeCalls.connect(to: target, keys: keys)
            return .success(Answer(calls: calls, rows: try await calls.send(ClusterRequest(.list)).jobs ?? []))
        } catch {
            return .failure(error)
        }
    }

    /// One row for each job: that of the node that runs it, rather than what others see in a shared folder.
    static func merged(_ rows: [JobsCommand.SubmittedRow]) -> [JobsCommand.SubmittedRow] {
        var best: [String: JobsCommand.SubmittedRow] = [:]
        for row in rows {
            guard let other = best[row.id] else {
                best[row.id] = row
                continue
            }
            func rank(_ row: JobsCommand.SubmittedRow) -> Int {
                row.isElsewhere != true ? 2 : row.state == SubmittedJob.State.lost.rawValue ? 1 : 0
            }
            if rank(row) > rank(other) { best[row.id] = row }
        }
        return best.values.sorted { ($0.ageSeconds, $0.id) < ($1.ageSeconds, $1.id) }
    }

    /// Where nodes are: what the node of this machine has discovered, or else what is discovered now.
    private func addresses() async -> [[SocketAddress]] {
        var all = nodes.map { [$0] }
        guard discovers || !srv.isEmpty else { return all }
        // Not if no node runs: that is no error.
        let known =
            srv.isEmpty ? (try? LocalSocket.send(LocalRequest(action: .peers), environment, timeLimit: 1))?.peers : nil
        if let known {
            all += known.map { $0.compactMap { try? SocketAddress(parsing: $0) } }
        } else {
            all += await Self.discovered(NodeSources(discovers: discovers, srv: srv).all)
        }
        return Set(all.filter { !$0.isEmpty }).sorted { "\($0[0])" < "\($1[0])" }
    }

    private static func discovered(_ sources: [any ServiceDiscovery]) async -> [[SocketAddress]] {
        let found = Locked<[String: [SocketAddress]]>([:])
        let tasks = sources.flatMap { source in
            let discovery = NodeDiscovery(source)
            return [
                Task { await discovery.run() },
                Task {
                    for await event in discovery.events {
                        if case .found(let node) = event { found.withLock { $0["\(node.id)"] = node.addresses } }
                    }
                },
            ]
        }
        try? await Task.sleep(for: search)
        for task in tasks { task.cancel() }
        return found.withLock { Array($0.values) }
    }
}
