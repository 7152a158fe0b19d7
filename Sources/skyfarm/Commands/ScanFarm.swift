import Foundation
import ScanCluster
import ScanNetwork

/// The systems that a scan uses: the local one and the nodes that were named.
struct ScanFarm: Sendable {
    let systems: Systems
    let nodes: RemoteNodes
    let coordinator: ScanCoordinator
    let events: ScanEvents
    private let local: ScanSystem?
    private let waitSeconds: Double

    init(_ options: ScanCommand.Options, events: ScanEvents) {
        let loop = EventLoop.shared
        systems = Systems(clock: loop)
        nodes = RemoteNodes(options.nodes.map(\.description), systems: systems)
        let slots = options.localSlots ?? ProcessInfo.processInfo.activeProcessorCount
        var generator = SystemRandomNumberGenerator()
        local =
            slots == 0
            ? nil
            : ScanSystem(local: slots, id: SystemID(using: &generator), name: ScanEvents.localName, clock: loop)
        coordinator = ScanCoordinator(
            systems: systems,
            options: .init(
                timeout: options.timeoutSeconds.map { .seconds($0) }, maxAttempts: options.maxAttempts,
                waitForSystems: .seconds(options.waitSeconds)),
            clock: loop, executor: loop)
        waitSeconds = options.waitSeconds
        self.events = events
    }

    /// Connects to the nodes; with a local system the scan need not wait for them.
    /// - Throws: ``ScanError/Code/noSystem`` if there is nobody to do the work.
    func join() async throws {
        if let local { systems.join(local) }
        nodes.start()
        if local != nil {
            Task { [nodes, events] in events.report(await nodes.settled()) }
            return
        }
        let states = await nodes.settled()
        if !states.contains(where: \.isUsable) { throw ScanError(.noSystem, Self.obstacle(states)) }
        events.report(states)
    }

    /// Why no node can be used, and what to do, in one line.
    private static func obstacle(_ states: [NodeState]) -> String {
        if states.isEmpty {
            return "no node was named and --local-slots 0 excludes this machine; name one with --node HOST:PORT"
        }
        let troubles = states.map { "node \($0.address): \($0.trouble ?? "no answer yet")" }
        return "no node can be used: \(troubles.joined(separator: "; ")); or leave out --local-slots 0"
    }

    /// Leaves the nodes.
    func close() { nodes.close() }
}

extension NodeState {
    /// Whether tasks can be sent there.
    var isUsable: Bool {
        switch status {
        case .joined, .duplicate: true
        case .connecting, .failed, .closed: false
        }
    }

    /// Why not, in words; nil where it can be used.
    var trouble: String? {
        switch status {
        case .joined: nil
        case .duplicate(let other): "the same node as \(other)"
        case .connecting: "no answer yet"
        case .failed(let error): error.message
        case .closed: "closed"
        }
    }
}
