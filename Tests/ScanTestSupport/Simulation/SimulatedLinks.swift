import ScanCluster
import ScanNetwork

/// All links of a simulated coordinator, which perform the actions of `PeerLinks`: one to the address of each node, and
/// to some nodes a second one, as if they had been discovered too.
final class SimulatedLinks: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    let systems: Systems
    let world: SimulatedWorld
    private let nodes: [SimulatedNode]
    private var state: PeerLinks
    private var shells: [Int: SimulatedLink] = [:]
    /// The discovered nodes, by the numbers of their links.
    private var discovered: [Int: SimulatedNode] = [:]
    private var isClosed = false

    init(to nodes: [SimulatedNode], systems: Systems, world: SimulatedWorld) {
        (self.nodes, self.systems, self.world) = (nodes, systems, world)
        state = PeerLinks(count: nodes.count)
        for (number, node) in nodes.enumerated() { shells[number] = SimulatedLink(number, to: node, of: self) }
    }

    func start() {
        perform(state.start(at: world.clock.now))
        for node in nodes where !node.isLocal && node.index % 3 == 1 { offer(node) }
    }

    /// Attempts that transports wait for.
    var waiting: Int { shells.values.reduce(0) { $0 + ($1.transport?.waiting ?? 0) } }

    func close() {
        isClosed = true
        perform(state.close(at: world.clock.now))
    }

    /// The process ends.
    func die() {
        isClosed = true
        for shell in shells.sorted(by: { $0.key < $1.key }) { shell.value.die() }
        // The actions are dropped, since the process has ended.
        _ = state.close(at: world.clock.now)
    }

    func handle(_ event: LinkState.Event, of number: Int) {
        let jitter = Double.random(in: 0...1, using: &world.random)
        perform(state.handle(event, of: number, at: world.clock.now, jitter: jitter))
    }

    /// Discovery offers a node again some time after its connection ended or failed.
    func report(_ outcome: RemoteNodes.DialOutcome, of number: Int) {
        guard let node = discovered[number], outcome != .connected else { return }
        world.after(.seconds(world.random.magnitude(0.1...10))) { [weak self] in self?.offer(node) }
    }

    private func offer(_ node: SimulatedNode) {
        guard !isClosed,
            let (number, actions) = state.dial("\(node.index)", identity: node.identity, at: world.clock.now)
        else { return }
        discovered[number] = node
        shells[number] = shells[number] ?? SimulatedLink(number, to: node, of: self)
        perform(actions)
    }

    private func perform(_ actions: [PeerLinks.Action]) {
        for action in actions {
            switch action {
            case .link(let number, let action): shells[number]?.perform(action)
            case .remove(let number): (shells[number], discovered[number]) = (nil, nil)
            }
        }
    }
}
