import Foundation
import ScanCluster
import ScanDiscovery
import ScanNetwork
import ScanSecurity

/// Brings nodes that are found into the cluster, and tells discovery how that went.
final class ClusterMembership: Sendable {
    /// What the user may want to know.
    enum News: Equatable, Sendable {
        /// Discovery works.
        case available
        /// Discovery does not work, for this reason.
        case unavailable(DiscoveryError)
        /// A node that was found is not used.
        case unused(name: String, reason: String)
    }

    /// A node that was found.
    struct Finding: Equatable, Sendable {
        var node: DiscoveredNode
        /// Time from the beginning of the search.
        var seconds: Double
        /// Why no connection to it is tried.
        var obstacle: Obstacle?
    }

    /// Why no connection to a node is tried.
    struct Obstacle: Equatable, Sendable {
        var reason: String
        /// The command that tells more, or helps.
        var next: String
    }

    private struct Known {
        var findings: [String: Finding] = [:]
        var errors: [Int: DiscoveryError] = [:]
    }

    private let sources: [any ServiceDiscovery]
    private let nodes: RemoteNodes
    private let keys: KeyRing
    private let hasLocalSystem: Bool
    private let onNews: @Sendable (News) -> Void
    private let start = DispatchTime.now()
    private let known = Locked(Known())

    /// Membership of what `sources` find.
    /// - Parameters:
    ///   - sources: Where nodes are looked for.
    ///   - nodes: Connects them.
    ///   - keys: A node that accepts none of these is of another cluster.
    ///   - hasLocalSystem: This process runs tasks itself, so that a node of this machine would count its cores twice.
    ///   - onNews: Is told from any thread.
    init(
        _ sources: [any ServiceDiscovery], nodes: RemoteNodes, keys: KeyRing, hasLocalSystem: Bool,
        onNews: @escaping @Sendable (News) -> Void
    ) {
        self.sources = sources
        self.nodes = nodes
        self.keys = keys
        self.hasLocalSystem = hasLocalSystem
        self.onNews = onNews
    }

    /// What has been found and not been lost again, in the order of finding.
    var findings: [Finding] {
        known.withLock { $0.findings.values.sorted { ($0.seconds, $0.node.name) < ($1.seconds, $1.node.name) } }
    }

    /// Why sources do not work now.
    var errors: [DiscoveryError] { known.withLock { $0.errors.sorted { $0.key < $1.key }.map(\.value) } }

    /// Whether nothing will be found, as things are.
    var isBlind: Bool { known.withLock { $0.errors.count == sources.count } }

    /// Looks for nodes until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for (index, source) in sources.enumerated() {
                let discovery = NodeDiscovery(source)
                group.addTask { await discovery.run() }
                group.addTask { [self] in
                    for await event in discovery.events { handle(event, from: index, discovery) }
                }
            }
        }
    }

    /// Lets nodes be found for so long; shorter if none can be.
    func look(for limit: Duration) async {
        try? await Task.sleep(for: min(limit, Self.firstLook))
        if !isBlind { try? await Task.sleep(for: limit - min(limit, Self.firstLook)) }
    }

    /// Time in which a source that does not work says so.
    private static let firstLook = Duration.milliseconds(200)

    private func handle(_ event: DiscoveryEvent, from source: Int, _ discovery: NodeDiscovery) {
        switch event {
        case .available:
            known.withLock { $0.errors[source] = nil }
            onNews(.available)
        case .unavailable(let error):
            known.withLock { $0.errors[source] = error }
            onNews(.unavailable(error))
        case .found(let node): found(node, from: source, discovery)
        case .changed(let node):
            let wasUnused = known.withLock { known in
                let key = Self.key(node, source)
                known.findings[key]?.node = node
                return known.findings[key]?.obstacle != nil
            }
            if wasUnused { found(node, from: source, discovery) }
        case .lost(let node):
            let key = Self.key(node, source)
            known.withLock { _ = $0.findings.removeValue(forKey: key) }
            nodes.forget(key)
        }
    }

    private func found(_ node: DiscoveredNode, from source: Int, _ discovery: NodeDiscovery) {
        let key = Self.key(node, source)
        let obstacle = Self.obstacle(to: node, keys: keys, at: .now, hasLocalSystem: hasLocalSystem)
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let before = known.withLock { known in
            let before = known.findings[key]
            known.findings[key] = Finding(node: node, seconds: before?.seconds ?? seconds, obstacle: obstacle)
            return before
        }
        if let obstacle {
            if before?.obstacle != obstacle { onNews(.unused(name: node.name, reason: obstacle.reason)) }
            return
        }
        let visit = RemoteNodes.Visit(
            key: key, name: node.name,
            addresses: node.addresses.map { SocketAddress(host: $0.host.description, port: $0.port) },
            identity: node.advertisement.id, keys: node.advertisement.keys)
        nodes.visit(visit) { [onNews] outcome in
            switch outcome {
            case .connected: discovery.report(.connected, of: node.id)
            case .ended: discovery.report(.ended, of: node.id)
            case .failed(let error):
                discovery.report(.failed, of: node.id)
                onNews(.unused(name: node.name, reason: error.message))
            }
        }
    }

    /// Why a node is not tried; nil if it is.
    static func obstacle(
        to node: DiscoveredNode, keys: KeyRing, at time: Date, hasLocalSystem: Bool
    ) -> Obstacle? {
        if let theirs = node.advertisement.versions, !theirs.overlaps(Hello.versions) {
            return Obstacle(
                reason: "speaks protocol \(theirs.words), this program \(Hello.versions.words);"
                    + " use the same version of skyfarm on both",
                next: "skyfarm --version")
        }
        let theirs = node.advertisement.keys
        if let first = theirs.first, !keys.keys(at: time).contains(where: { theirs.contains($0.fingerprint) }) {
            return Obstacle(
                reason: TLSError.wrongKey(ours: keys.current.fingerprint, theirs: first).message,
                next: "skyfarm key import")
        }
        if hasLocalSystem, node.isOnThisMachine {
            return Obstacle(
                reason: "is on this machine, which takes part itself; --local-slots 0 leaves the work to the node",
                next: "skyfarm scan --local-slots 0")
        }
        return nil
    }

    private static func key(_ node: DiscoveredNode, _ source: Int) -> String {
        switch node.id {
        case .identity(let identity): "\(source) \(identity)"
        case .name(let name): "\(source) \(name)"
        }
    }
}
