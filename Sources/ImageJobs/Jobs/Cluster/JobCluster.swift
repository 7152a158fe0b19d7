import CommandLineKit
import Dispatch
import Foundation
import ImageScanning
package import ScanCluster
import ScanDiscovery
import ScanFarm
package import ScanNetwork
import ScanSecurity

/// The nodes of the cluster as seen by a command about jobs. All nodes are asked concurrently; a node that does not
/// answer in time is left out and reported.
///
/// Nodes are the given ones and those that this machine's node knows; if no node runs here, or if names of SRV records
/// are given, they are discovered. ``view(until:)`` connects to each node, sends a ``ClusterRequest`` for the list of
/// jobs, and merges the rows, since nodes that share a folder report the same job. The connections of the ``View`` then
/// carry orders to single nodes.
package struct JobCluster: Equatable, Sendable {
    /// Jobs of the nodes, and the nodes that answered.
    package struct View: Sendable {
        package var nodes: [NodeCalls] = []
        package var rows: [JobRow] = []
        /// The nodes that report a job, by its ID. A job in a shared folder is reported by all nodes that can read it.
        var reporters: [String: Set<SystemID>] = [:]
        /// The node that has or had the job, by its ID, if it answered.
        var holders: [String: SystemID] = [:]
        /// One line for each node that could not be asked.
        package var troubles: [String] = []
    }

    package let nodes: [SocketAddress]
    package let srv: [String]
    package let discovers: Bool
    package let environment: [String: String]

    /// Time limit for ordinary answers.
    package static let limit = Duration.milliseconds(800)
    /// Time limit if the answers so far do not suffice.
    package static let patience = Duration.seconds(10)
    /// Time for discovery, if the node of this machine does not know the required nodes.
    static let search = Duration.milliseconds(400)

    /// Asks all nodes for their jobs.
    /// - Parameter suffices: returns whether the answers so far suffice. Until then, silent nodes get more time, since
    ///   their links may be congested by pixels, and nodes are discovered, if necessary a second time.
    /// - Returns: The answers, and a line for each node that did not answer.
    /// - Throws: The errors of `KeyStore`.
    package func view(until suffices: ((View) -> Bool)? = nil) async throws -> View {
        let known = knownTargets()
        var view = View()
        let targets = known == nil ? await discoveredTargets() : all(known ?? [])
        let end = ContinuousClock.now + (suffices == nil ? Self.limit : Self.patience)
        try await ask(targets, until: suffices, end, into: &view)
        // The required node may be unknown to this machine's node, or its announcement may have been late.
        if let suffices, !suffices(view) {
            let asked = Set(targets.joined())
            let others = await discoveredTargets().filter { asked.isDisjoint(with: $0) }
            try await ask(others, until: suffices, end, into: &view)
        }
        view.nodes.sort { $0.node.name < $1.node.name }
        view.rows = Self.merged(view.rows)
        return view
    }

    /// Asks these nodes, and adds their answers to `view`.
    private func ask(
        _ targets: [[SocketAddress]], until suffices: ((View) -> Bool)?, _ end: ContinuousClock.Instant,
        into view: inout View
    ) async throws {
        guard !targets.isEmpty else { return }
        let keys = try KeyStore.user().ring()
        let limit = max(Self.limit, end - .now)
        let replies = poll(targets, usual: Self.limit, within: limit) {
            await Self.ask($0, keys, until: end)
        } late: {
            try? $0.get().calls.close()
        }
        var (silent, isLate) = (Set(targets), false)
        for await event in replies {
            switch event {
            case .isLate: isLate = true
            case .answered(let target, .success(let answer)):
                silent.remove(target)
                if view.nodes.contains(where: { $0.node.identity == answer.calls.node.identity }) {
                    answer.calls.close()
                } else {
                    view.nodes.append(answer.calls)
                    view.rows += answer.rows
                    for row in answer.rows {
                        view.reporters[row.id, default: []].insert(answer.calls.node.identity)
                        if row.isElsewhere != true { view.holders[row.id] = answer.calls.node.identity }
                    }
                }
            case .answered(let target, .failure(let error)):
                silent.remove(target)
                let error = error as? ConnectError
                view.troubles.append(
                    "\(error?.system ?? target.first?.description ?? "a node") \(error?.message ?? "cannot be asked")")
            }
            if silent.isEmpty || isLate && suffices?(view) != false { break }
        }
        view.troubles += silent.compactMap(\.first).map { "\($0) does not answer" }.sorted()
    }

    private struct Answer: Sendable {
        var calls: NodeCalls
        var rows: [JobRow]
    }

    /// Asks a node. Attempts that fail after a while are retried until `end`, since over a congested link the handshake
    /// may take longer than nodes allow. An attempt that fails at once is not retried, since it would fail again.
    private static func ask(
        _ target: [SocketAddress], _ keys: KeyRing, until end: ContinuousClock.Instant
    ) async -> Result<Answer, any Error> {
        while true {
            let start = ContinuousClock.now
            do {
                let calls = try await NodeCalls.connect(to: target, keys: keys)
                do {
                    return .success(Answer(calls: calls, rows: try await calls.send(ClusterRequest(.list)).jobs ?? []))
                } catch {
                    calls.close()
                    throw error
                }
            } catch {
                let now = ContinuousClock.now
                guard now - start > limit, now < end else { return .failure(error) }
            }
        }
    }

    /// Returns one row per job. The row of the node that runs the job is preferred to the rows of nodes that see it in
    /// a shared folder.
    package static func merged(_ rows: [JobRow]) -> [JobRow] {
        var best: [String: JobRow] = [:]
        for row in rows {
            guard let other = best[row.id] else {
                best[row.id] = row
                continue
            }
            func rank(_ row: JobRow) -> Int {
                row.isElsewhere != true ? 2 : row.state == SubmittedJob.State.lost.rawValue ? 1 : 0
            }
            if rank(row) > rank(other) { best[row.id] = row }
        }
        return sorted(Array(best.values))
    }

    /// Returns the rows in the order of their ages, newest first.
    package static func sorted(_ rows: [JobRow]) -> [JobRow] {
        rows.sorted { ($0.ageSeconds ?? .infinity, $0.id) < ($1.ageSeconds ?? .infinity, $1.id) }
    }

    /// Returns the nodes that this machine's node knows, in addition to the given ones, or nil if they must be
    /// discovered.
    private func knownTargets() -> [[SocketAddress]]? {
        guard discovers || !srv.isEmpty else { return [] }
        guard srv.isEmpty else { return nil }
        // It is not an error if no node runs on this machine.
        let peers = (try? LocalSocket.send(LocalRequest(.peers), environment, timeLimit: 1))?.peers
        return peers.map { $0.map { $0.compactMap { try? SocketAddress(parsing: $0) } } }
    }

    /// Returns the given nodes and the nodes that are discovered now.
    private func discoveredTargets() async -> [[SocketAddress]] {
        guard discovers || !srv.isEmpty else { return [] }
        return all(await Self.discovered(NodeSources(discovers: discovers, srv: srv).all))
    }

    /// Returns these and the given nodes without duplicates.
    private func all(_ others: [[SocketAddress]]) -> [[SocketAddress]] {
        Set((nodes.map { [$0] } + others).filter { !$0.isEmpty }).sorted { "\($0[0])" < "\($1[0])" }
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
