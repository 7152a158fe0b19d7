import ScanCluster
import ScanTestSupport

/// Fake nodes, a manual clock and a coordinator, all on one simulated executor.
struct Farm {
    let clock = ManualClock()
    var systems: Systems
    let executor: SimulatedExecutor

    init() {
        systems = Systems(clock: clock)
        executor = SimulatedExecutor(clock: clock)
    }

    /// A node that leaves the registry when it crashes.
    func node(
        _ number: UInt64, behaviour: @escaping @Sendable (_ started: Int, _ task: any Sendable) -> FakeNode.Behaviour
    ) -> FakeNode {
        FakeNode(
            name: "node-\(number)", clock: clock, onCrash: { [systems] in systems.leave(.test(number), isLost: true) },
            corrupt: { ($0 as? Int).map { $0 + 1 } ?? $0 }, behaviour: behaviour)
    }

    @discardableResult
    func join(_ node: FakeNode, _ number: UInt64, slots: Int = 2, depth: Int? = nil) -> ScanSystem {
        let system = ScanSystem(
            remote: node, id: .test(number), name: node.name, slots: slots, depth: depth, clock: clock,
            executor: executor)
        systems.join(system)
        return system
    }

    /// Adds a node of that behaviour.
    @discardableResult
    func add(
        _ number: UInt64, slots: Int = 2,
        behaviour: @escaping @Sendable (_ started: Int, _ task: any Sendable) -> FakeNode.Behaviour = { _, _ in
            .answer(after: .milliseconds(1))
        }
    ) -> FakeNode {
        let node = node(number, behaviour: behaviour)
        join(node, number, slots: slots)
        return node
    }

    /// Runs squares to their end; nil if the run hangs.
    func run(
        _ count: Int, options: ScanCoordinator.Options = .init(),
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> Report? {
        let coordinator = ScanCoordinator(systems: systems, options: options, clock: clock, executor: executor)
        return executor.run {
            var report = Report()
            do throws(ScanError) {
                let tasks = (0..<count).lazy.map { Square(id: $0, cost: 1 + Double($0 % 3)) }
                for try await response in coordinator.responses(to: Array(tasks), observer: observer) {
                    report.add(response)
                }
            } catch {
                report.error = error
            }
            return report
        }
    }
}

/// The outcome of a run.
struct Report: Sendable {
    var outputs: [Int: Int] = [:]
    var failures: [Int: TaskFailure] = [:]
    var responses = 0
    var bySystem: [String: Int] = [:]
    var error: ScanError?

    mutating func add(_ response: TaskResponse<Square>) {
        responses += 1
        bySystem[response.system, default: 0] += 1
        switch response.result {
        case .success(let output): outputs[response.id] = output
        case .failure(let failure): failures[response.id] = failure
        }
    }

    /// Whether each of `count` tasks has exactly one response, the right output.
    func isComplete(_ count: Int) -> Bool {
        responses == count && outputs.count == count && outputs.allSatisfy { $0.value == $0.key * $0.key }
    }
}
