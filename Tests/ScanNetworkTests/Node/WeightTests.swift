import Foundation
import ScanCluster
import ScanNetwork
import Testing

/// Holds its slot for 50 ms, or another time: much longer than the way to a coordinator and back.
struct NapTask: ScanTask {
    static let typeName = "test.nap/1"
    var id: Int
    var milliseconds: UInt32 = 50

    func scan(_ context: ScanContext) throws -> Int {
        usleep(1_000 * milliseconds)
        return id
    }
}

@Suite("Coordinators of different weights", .timeLimit(.minutes(10)))
struct WeightTests {
    @Test("share two nodes in proportion to their weights, and one that takes no answers costs the others nothing")
    func shares() async throws {
        let nodes = try (0..<2).map { _ in try TestNode(slots: 2) }
        let addresses = nodes.map(\.address)
        // From when all have begun until the sum is reached, when all still have work.
        let seconds = Locked([0.0, 0.0, 0.0])
        let begun = Locked(0.0)
        let isOver = Locked(false)
        let (warmUp, goal) = (5.0, 20.0)
        // A coordinator that is late, since this process runs other tests, has a task at each slot meanwhile.
        let tasks = (0..<2_000).map { NapTask(id: $0, milliseconds: 100) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, weight) in [1.0, 1, 2].enumerated() {
                group.addTask {
                    let systems = Systems(clock: EventLoop.shared)
                    var options = RemoteNodes.Options()
                    (options.timing, options.weight) = (testTiming, weight)
                    let connections = RemoteNodes(addresses, keys: testKeys, systems: systems, options: options)
                    connections.start()
                    _ = await connections.settled()
                    let coordinator = ScanCoordinator(
                        systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
                    // None begins before all are there.
                    await eventually { nodes.allSatisfy { $0.server.status.connections == 4 } }
                    for try await response in coordinator.responses(to: tasks) {
                        _ = try response.get()
                        let time = begun.withLock { begun in
                            begun += response.seconds
                            return begun
                        }
                        if time < warmUp { continue }
                        let sum = seconds.withLock { seconds in
                            seconds[index] += response.seconds
                            return seconds.reduce(0, +)
                        }
                        if sum >= goal { isOver.withLock { $0 = true } }
                        if isOver.withLock({ $0 }) { break }
                    }
                    connections.close()
                }
            }
            // Connected, with tasks at both nodes, whose answers it does not take.
            group.addTask {
                let (systems, connections, _) = await connect(addresses[0], addresses[1])
                let coordinator = ScanCoordinator(
                    systems: systems, options: .init(responseBuffer: 1), clock: EventLoop.shared,
                    executor: EventLoop.shared)
                for try await response in coordinator.responses(to: (0..<1000).map { NapTask(id: $0) }) {
                    _ = try response.get()
                    await eventually { isOver.withLock { $0 } }
                    break
                }
                connections.close()
            }
            try await group.waitForAll()
        }
        let used = seconds.withLock { $0 }
        let whole = used.reduce(0, +)
        // Without weights each would have a third. On a busy machine a coordinator may have no task waiting.
        for (part, share) in zip(used, [0.25, 0.25, 0.5]) {
            #expect(abs(part / whole - share) <= 0.2 * share, "\(used)")
        }
        for node in nodes { node.server.stop() }
    }

    @Test("a weight that is changed holds from the next tasks on, at nodes that are connected")
    func change() async throws {
        let node = try TestNode(slots: 1)
        let (systems, connections, _) = await connect(node.address)
        let (others, otherConnections, _) = await connect(node.address)
        let seconds = Locked([0.0, 0.0])
        let isChanged = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, systems) in [systems, others].enumerated() {
                group.addTask {
                    let coordinator = ScanCoordinator(
                        systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
                    for try await response in coordinator.responses(to: (0..<1_000_000).lazy.map { NapTask(id: $0) }) {
                        let sums = seconds.withLock { seconds in
                            seconds[index] += response.seconds
                            return seconds
                        }
                        // Equal so far; then the first has four times the weight of the second.
                        if !isChanged.withLock({ $0 }), sums.reduce(0, +) > 1 {
                            isChanged.withLock { $0 = true }
                            connections.use(weight: 4)
                            seconds.withLock { $0 = [0, 0] }
                        }
                        if isChanged.withLock({ $0 }), sums.reduce(0, +) > 4 { break }
                    }
                }
            }
            try await group.waitForAll()
        }
        let used = seconds.withLock { $0 }
        #expect(abs(used[0] / (used[0] + used[1]) - 0.8) < 0.08, "\(used)")
        connections.close()
        otherConnections.close()
        node.server.stop()
    }

    @Test("a weight beyond the limits counts as the nearest that is allowed")
    func limits() throws {
        for (told, heard) in [(5, 5), (1e9, 100), (-3, 0.01), (Double.nan, 1), (1, nil)] as [(Double, Double?)] {
            let greeting = try ClientHandshake().greeting(
                CoordinatorInfo(name: "desk", frameLimit: 1 << 20, weight: told))
            let outcome = greeting.withUnsafeBytes { ServerHandshake(node: HandshakeTests.node).received($0) }
            guard case .open(let info, _, _) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(info.weight == heard)
        }
    }
}
