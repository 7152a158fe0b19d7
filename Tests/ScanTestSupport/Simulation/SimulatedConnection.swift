import ScanCluster
import ScanNetwork

/// A connection between a coordinator and a node: delays messages, and, unless it is a stream, loses, duplicates and
/// reorders them.
final class SimulatedConnection: @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    let number: Int
    let node: SimulatedNode
    private let world: SimulatedWorld
    /// The coordinator's end; nil when its process is dead.
    weak var link: SimulatedLink?
    // A stream keeps the order of its messages.
    private var lastArrivals = [Instant](repeating: Instant(nanoseconds: 0), count: 2)

    init(number: Int, node: SimulatedNode, link: SimulatedLink, world: SimulatedWorld) {
        self.number = number
        self.node = node
        self.link = link
        self.world = world
    }

    func sendToNode(_ message: SimulatedMessage) {
        travel(0) { [self] in node.receive(message, on: self) }
    }

    func sendToCoordinator(_ message: SimulatedMessage) {
        travel(1) { [self] in link?.receive(message, on: self) }
    }

    private func travel(_ direction: Int, _ deliver: @escaping @Sendable () -> Void) {
        world.note(.message, node.index, number)
        if node.isLocal { return world.after(.zero, deliver) }
        let network = world.scenario.network
        let now = world.clock.now
        let isCut = now < node.cutUntil
        if network.isStream {
            if isCut { world.note(.held, node.index) }
            let sent = isCut ? node.cutUntil : now
            lastArrivals[direction] = max(lastArrivals[direction], sent.advanced(by: latency()))
            return world.at(lastArrivals[direction], deliver)
        }
        if isCut || (!world.isCalm && world.random.chance(network.loss)) {
            return world.note(.lost, node.index, number)
        }
        if !world.isCalm, world.random.chance(network.duplication) {
            world.note(.duplicated, node.index, number)
            world.after(latency(), deliver)
        }
        world.after(latency(), deliver)
    }

    private func latency() -> Duration {
        .seconds(world.scenario.network.latency * Double.random(in: 0.1...1, using: &world.random))
    }
}
