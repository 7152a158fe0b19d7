import Foundation
import ImageJobs
import ScanCluster
import ScanNetwork
import ScanSecurity

/// Polls the nodes of the cluster every few seconds, for the live page of a node.
final class ClusterWatch: Sendable {
    private let picture = Locked(ClusterPicture())
    private let keys: @Sendable () throws -> KeyRing
    private let addresses: @Sendable () -> [[SocketAddress]]
    private let live: LiveNode

    /// Polls the nodes at `addresses`, which include this node; `live` provides the clock.
    init(
        keys: @escaping @Sendable () throws -> KeyRing, addresses: @escaping @Sendable () -> [[SocketAddress]],
        live: LiveNode
    ) {
        (self.keys, self.addresses, self.live) = (keys, addresses, live)
    }

    /// The last known state of the cluster.
    var now: ClusterPicture { picture.withLock(\.self) }

    /// Time between two rounds, and time limit for the answers of one round.
    private static let period = Duration.seconds(3)

    /// Polls until the task is cancelled.
    func run() async {
        var connections: [[SocketAddress]: (calls: NodeCalls, name: String)] = [:]
        while !Task.isCancelled {
            let targets = Set(addresses())
            for target in connections.keys where !targets.contains(target) {
                connections.removeValue(forKey: target)?.calls.close()
            }
            let known = connections.mapValues(\.calls)
            let answers = poll(targets, within: Self.period) { [keys] in
                await Self.ask($0, known[$0], keys)
            } late: {
                $0.calls?.close()
            }
            var (rows, silent) = ([JobRow](), targets)
            for await case .answered(let target, let answer) in answers {
                silent.remove(target)
                guard let calls = answer.calls, var load = answer.load else {
                    lose(target, &connections, answer.trouble ?? "cannot be asked")
                    continue
                }
                // The name in the answer is not used, since it may change and the state is kept by name.
                load.name =
                    connections[target]?.name ?? Self.distinctName(of: calls, among: connections.values.map(\.name))
                connections[target] = (calls, load.name)
                rows += answer.rows
                picture.withLock { $0.answered(load, at: live.elapsed) }
            }
            for target in silent { lose(target, &connections, "does not answer") }
            if !Task.isCancelled { picture.withLock { $0.set(rows) } }
        }
        for connection in connections.values { connection.calls.close() }
    }

    private func lose(
        _ target: [SocketAddress], _ connections: inout [[SocketAddress]: (calls: NodeCalls, name: String)],
        _ trouble: String
    ) {
        guard let lost = connections.removeValue(forKey: target) else { return }
        lost.calls.close()
        picture.withLock { $0.failed(lost.name, trouble, at: live.elapsed) }
    }

    /// Returns the name under which the state of a node is kept: its name, with the address if another node has that name.
    private static func distinctName(of calls: NodeCalls, among names: [String]) -> String {
        let name = calls.node.name
        return names.contains(name.kept) ? "\(name) (\(calls.address))".kept : name.kept
    }

    private struct Answer: Sendable {
        var calls: NodeCalls?
        var load: NodeLoad?
        var rows: [JobRow] = []
        var trouble: String?
    }

    private static func ask(
        _ target: [SocketAddress], _ known: NodeCalls?, _ keys: () throws -> KeyRing
    ) async -> Answer {
        do {
            let calls = if let known { known } else { try await NodeCalls.connect(to: target, keys: keys()) }
            let load = try await calls.send(ClusterRequest(.load)).load
            return Answer(
                calls: calls, load: load, rows: try await calls.send(ClusterRequest(.list)).jobs ?? [])
        } catch {
            return Answer(trouble: "\(error)".printable)
        }
    }
}
