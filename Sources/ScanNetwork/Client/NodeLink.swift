import Foundation
import ScanCluster
import ScanSecurity
import ScanSockets

/// Performs what ``LinkState`` decides for one link to a node: dials it, keeps its transport, and makes the node join
/// and leave the systems. Confined to the loop's thread.
final class NodeLink: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    private let number: Int
    /// Nil if it was released without being closed.
    private weak var nodes: RemoteNodes?
    private var target: Result<Dialer.Target, AddressError>
    private var announcedKeys: [KeyFingerprint] = []
    private var onOutcome: (RemoteNodes.DialOutcome) -> Void = { _ in }
    /// What users see, except status and round trip.
    private var shown: NodeState
    private var dialer: Dialer?
    /// The transport over which the node has joined.
    private var transport: TCPTransport?
    private var timer: TimerID?

    /// A link to an address that was given.
    init(_ number: Int, address: String, of nodes: RemoteNodes) {
        (self.number, self.nodes) = (number, nodes)
        shown = NodeState(address: address)
        target = Result { () throws(AddressError) in .host(try SocketAddress(parsing: address)) }
    }

    /// A link to a discovered node; ``point(at:keys:onOutcome:)`` sets its addresses.
    init(_ number: Int, of nodes: RemoteNodes) {
        (self.number, self.nodes) = (number, nodes)
        shown = NodeState(address: "")
        target = .success(.addresses([]))
    }

    /// Sets the announced addresses and keys with which a discovered node is dialled from now on.
    func point(
        at peer: Systems.Peer, keys: [KeyFingerprint], onOutcome: @escaping (RemoteNodes.DialOutcome) -> Void
    ) {
        self.onOutcome = onOutcome
        shown.announcedName = peer.name
        announcedKeys = keys
        target = .success(.addresses(peer.addresses.compactMap(RawAddress.init(numeric:))))
        if transport == nil { shown.address = peer.addresses.first?.description ?? "" }
    }

    /// Address of the node, as users see it.
    var address: String { shown.address }

    /// Name of the node as it was announced, or as it gave it when it was connected. Nil if neither is known.
    var name: String? { shown.node?.name ?? shown.announcedName }

    /// The state of a link of this status, with the latest round trip.
    func state(_ status: NodeState.Status) -> NodeState {
        var state = shown
        state.status = status
        state.roundTrip = transport?.roundTrip
        return state
    }

    func perform(_ action: LinkState.Action) {
        guard let nodes else { return }
        switch action {
        case .dial: dial()
        case .wait(let instant):
            timer = nodes.loop.schedule(at: instant) { [weak self] in self?.handle(.retry) }
        case .disconnect: disconnect()
        case .report(let outcome): onOutcome(outcome)
        case .close:
            if let timer { nodes.loop.cancel(timer) }
            dialer?.cancel()
            dialer = nil
            if transport != nil, let node = shown.node { nodes.systems.leave(node.identity) }
            disconnect()
            // The closure may retain `nodes`.
            onOutcome = { _ in }
        }
    }

    private func handle(_ event: LinkState.Event) { nodes?.handle(event, of: number) }

    private func disconnect() {
        let transport = transport
        self.transport = nil
        transport?.close()
    }

    private func dial() {
        timer = nil
        guard let nodes else { return }
        switch target {
        case .failure(let error): handle(.failed(ConnectError(.unreachable, "\(error)")))
        case .success(let target):
            let (options, weight) = (nodes.options, nodes.weight)
            let info = CoordinatorInfo(
                name: options.name, frameLimit: options.frameLimit, job: options.job, weight: weight)
            let dialer = Dialer(
                loop: nodes.loop, target: target, keys: nodes.keys.keys(for: announcedKeys, at: .now), info: info,
                timing: options.timing, sessions: options.sessions
            ) {
                [weak self] result in
                guard let self else { return }
                self.dialer = nil
                switch result {
                case .success((let node, let connection)):
                    connected(node, connection)
                    if let current = self.nodes?.weight, current != weight { transport?.use(weight: current) }
                case .failure(var error):
                    error.system = shown.address
                    handle(.failed(error))
                }
            }
            self.dialer = dialer
            dialer.start()
        }
    }

    /// Tells the node the coordinator's weight from now on.
    func use(weight: Double) { transport?.use(weight: weight) }

    private func connected(_ node: NodeInfo, _ connection: Connection) {
        guard let nodes else { return }
        shown.node = node
        shown.key = connection.key
        if shown.announcedName != nil { shown.address = connection.peer.description }
        let (systems, loop, options) = (nodes.systems, nodes.loop, nodes.options)
        var selection = options.selection
        // An announced name was compared with those of all announced nodes, also of excluded ones, which have no link.
        if node.name == shown.announcedName { selection.excluded = [] }
        if let refusal = selection.refusal(of: node.name, among: nodes.knownNames) {
            let code: ConnectError.Code = refusal.ambiguity == nil ? .excluded : .ambiguous
            return refuse(ConnectError(code, refusal.ambiguity ?? refusal.text), connection)
        }
        if let missing = options.taskTypes.first(where: { !node.taskTypes.contains($0) }) {
            return refuse(
                ConnectError(
                    .unknownType,
                    "has no task type '\(missing)': it runs another program, or another version (\(node.software))"),
                connection)
        }
        let name = distinctName(of: node, in: systems)
        if let error = options.arithmetic.flatMap({ node.difference(from: $0) }) {
            guard options.allowsDifferentNodes else { return refuse(error, connection) }
            nodes.admit(node, as: name)
        }
        if node.readsReferences == true { nodes.noteReader() }
        var named = node
        named.name = name
        var hasJoined = false
        let transport = TCPTransport(
            node: named, packed: options.packed, compression: options.compression,
            compressor: nodes.compressor,
            connection: connection,
            onTraffic: { [weak nodes] traffic in nodes?.add(traffic) },
            onReport: { [weak nodes] report in nodes?.add(report, of: name) },
            onLink: { systems.note($0, of: node.identity) },
            onFull: { [weak nodes] isFull in nodes?.noteLink(isFull: isFull) },
            onDraining: { systems.leave(node.identity) },
            onEnd: { [weak self] error in
                // Only the link whose system joined may make it leave.
                if hasJoined { systems.leave(node.identity, isLost: true) }
                self?.ended(error)
            })
        var link = ScanSystem.Link(to: node, over: connection, isMeasured: options.measuresLinks)
        link.isSpare = options.selection.isOwn(node.name)
        let system = ScanSystem(
            remote: transport, id: node.identity, name: name, slots: node.slots,
            depth: node.depth(limit: options.depth), tags: Set(node.tags ?? []), processors: node.processors,
            link: link, clock: loop, executor: loop)
        transport.passReports(to: system)
        hasJoined = systems.join(system)
        if hasJoined, let seconds = connection.socketRoundTrip {
            systems.note(.init(roundTrip: seconds), of: node.identity)
        }
        self.transport = transport
        // The connection is not open before this call returns.
        if hasJoined, link.probeCount > 0 { loop.execute { [weak transport] in transport?.probeLink() } }
        handle(.connected(node.identity, hasJoined: hasJoined))
    }

    /// Ends the connection to a node that is not used, and tells it why.
    private func refuse(_ error: ConnectError, _ connection: Connection) {
        connection.send { $0.putGoodbye(draining: false, message: "this node \(error.message)") }
        connection.end(error, politely: true)
        var error = error
        error.system = shown.address
        handle(.failed(error))
    }

    /// A name that no other system has: the address is added if names clash.
    private func distinctName(of node: NodeInfo, in systems: Systems) -> String {
        let isTaken = systems.snapshot.contains { $0.name == node.name && $0.id != node.identity }
        return isTaken ? "\(node.name) (\(shown.address))" : node.name
    }

    private func ended(_ error: ConnectError) {
        // Nil if this side closed the connection.
        guard transport != nil else { return }
        transport = nil
        handle(.lost(error))
    }
}
