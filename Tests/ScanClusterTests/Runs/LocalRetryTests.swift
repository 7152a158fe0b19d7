import ScanCluster
import ScanTestSupport
import Testing

@Suite("A task that has failed") struct LocalRetryTests {
    /// A farm with a node that gets all tasks, and then fails them. Before that, the local system and another node join.
    private struct Trouble {
        let farm = Farm()
        let local: FakeNode
        let other: FakeNode

        init(slots: Int = 4, _ behaviour: FakeNode.Behaviour) {
            local = farm.node(8) { _, _ in .answer(after: .milliseconds(20)) }
            other = farm.node(9) { _, _ in .answer(after: .milliseconds(20)) }
            farm.add(1, slots: slots) { _, _ in behaviour }
            _ = farm.clock.schedule(at: Instant(nanoseconds: 5_000_000)) { [farm, local, other] in
                farm.join(other, 9, slots: slots)
                farm.systems.join(
                    ScanSystem(
                        simulated: local, id: .test(8), name: "local", slots: slots, depth: slots, isLocal: true,
                        clock: farm.clock, executor: farm.executor))
            }
        }
    }

    @Test(
        "or was lost with its node goes to the local system",
        arguments: [
            FakeNode.Behaviour.fail(.disconnected, after: .milliseconds(10)),
            .fail(.invalidResponse, after: .milliseconds(10)), .throwing("no", after: .milliseconds(10)),
        ])
    func lostNodesTasksGoLocal(_ behaviour: FakeNode.Behaviour) throws {
        let trouble = Trouble(behaviour)
        let report = try #require(trouble.farm.run(4))
        #expect(report.isComplete(4))
        #expect(report.bySystem == ["local": 4])
        #expect(trouble.other.started == 0)
    }

    @Test("in a chunk goes to the local system alone")
    func chunks() throws {
        let trouble = Trouble(.throwing("no", after: .milliseconds(10)))
        let coordinator = ScanCoordinator(
            systems: trouble.farm.systems, clock: trouble.farm.clock, executor: trouble.farm.executor)
        let done = trouble.farm.executor.run {
            var systems: [String] = []
            do throws(ScanError) {
                for try await response in coordinator.responses(to: (0..<4).map { Square(id: $0) }, inChunksOf: 4) {
                    systems.append(response.system)
                }
            } catch {
                systems.append("\(error)")
            }
            return systems
        }
        #expect(done == ["local", "local", "local", "local"])
        #expect(trouble.other.started == 0)
    }

    @Test("waits for no local slot that is free only after another system has done the task")
    func preferred() throws {
        var state = Systems.State()
        _ = state.join(id: .test(1), name: "local", slots: 1, depth: 1, isLocal: true)
        _ = state.join(id: .test(2), name: "node", slots: 1, depth: 1, isLocal: false)
        var request = TaskRequest(cost: 1)
        request.placement = .localFirst
        let tasks = (0..<2).map { _ in PendingTask(entry: 0, request: request) }
        let run = RunID(rawValue: 1)
        let long = [PendingTask(entry: 1, request: TaskRequest(cost: 10))]
        let free = state.pick(from: tasks, excluding: [], run: run, at: .zero)
        let first = try #require(free).reservation
        #expect(first.system == .test(1))
        _ = state.release(first, as: .finished(seconds: 1), at: .zero)
        let local = state.pick(from: long, excluding: [.test(2)], run: run, at: .zero)
        #expect(local?.reservation.system == .test(1))
        let busy = state.pick(from: tasks, excluding: [], run: run, at: .zero)
        #expect(busy?.reservation.system == .test(2))
    }

    @Test("because it never ended is given up: by default no attempt lasts for ever")
    func neverEnds() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .hang }
        let report = try #require(farm.run(1))
        #expect(report.failures.count + (report.error == nil ? 0 : 1) == 1)
    }
}
