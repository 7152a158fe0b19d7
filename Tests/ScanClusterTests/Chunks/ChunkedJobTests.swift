import ScanCluster
import ScanTestSupport
import Testing

@Suite struct ChunkedJobTests {
    /// Runs squares in chunks to their end; nil if the run hangs.
    private func run(_ count: Int, on farm: Farm, options: ScanCoordinator.Options = .init()) -> Report? {
        let coordinator = ScanCoordinator(
            systems: farm.systems, options: options, clock: farm.clock, executor: farm.executor)
        return farm.executor.run {
            var report = Report()
            do throws(ScanError) {
                let tasks = (0..<count).map { Square(id: $0) }
                for try await response in coordinator.responses(to: tasks, inChunksOf: 16) { report.add(response) }
            } catch {
                report.error = error
            }
            return report
        }
    }

    private func tasks(_ task: any Sendable) -> [Square] { (task as? TaskChunk<Square>)?.tasks ?? [] }

    @Test("every task has one response of its own, and tiny tasks go together")
    func together() throws {
        let farm = Farm()
        let node = farm.add(1) { _, _ in .answer(after: .microseconds(10)) }
        let report = try #require(run(1000, on: farm))
        #expect(report.isComplete(1000))
        #expect(node.started < 200)
    }

    @Test("a run without tasks ends at once")
    func none() throws {
        #expect(try #require(run(0, on: Farm())).isComplete(0))
    }

    @Test("the tasks of a node that crashes are done by another, each once")
    func crash() throws {
        let farm = Farm()
        farm.add(1)
        farm.add(2) { started, _ in started == 5 ? .crash(after: .milliseconds(1)) : .answer(after: .milliseconds(1)) }
        #expect(try #require(run(1000, on: farm)).isComplete(1000))
    }

    @Test("tasks of a chunk that hangs are tried alone, where only the one that hangs fails")
    func hang() throws {
        let farm = Farm()
        for number in 1...2 {
            farm.add(UInt64(number)) { _, task in
                if let square = task as? Square { return square.id == 700 ? .hang : .answer(after: .milliseconds(1)) }
                return tasks(task).contains { $0.id == 700 } ? .hang : .answer(after: .milliseconds(1))
            }
        }
        let report = try #require(run(1000, on: farm, options: .init(timeout: .seconds(1))))
        #expect(report.responses == 1000)
        #expect(report.outputs.count == 999)
        #expect(Array(report.failures.keys) == [700])
    }

    @Test("a task that throws in a chunk is tried again alone; the others keep their outputs")
    func throwing() throws {
        let clock = ManualClock()
        let systems = Systems(clock: clock)
        let executor = SimulatedExecutor(clock: clock)
        let node = FakeNode(name: "node", clock: clock)
        systems.join(
            ScanSystem(remote: node, id: .test(1), name: "node", slots: 2, clock: clock, executor: executor))
        let coordinator = ScanCoordinator(systems: systems, clock: clock, executor: executor)
        let tries = Locked([Int: Int]())
        let tasks = (0..<100).map { id in
            Blocking(id: id) { _ in
                let isFirst = tries.withLock { tries in
                    tries[id, default: 0] += 1
                    return tries[id] == 1
                }
                if id.isMultiple(of: 10), isFirst { throw NoBulk() }
                return id
            }
        }
        let responses = executor.run {
            var responses: [Int: TaskResponse<Blocking>] = [:]
            do throws(ScanError) {
                for try await response in coordinator.responses(to: tasks, inChunksOf: 8) {
                    #expect(responses.updateValue(response, forKey: response.id) == nil)
                }
            } catch {
                Issue.record(error)
            }
            return responses
        }
        let all = try #require(responses)
        #expect(all.count == 100)
        for (id, response) in all {
            #expect(try response.get() == id)
            #expect(response.attempt == (id.isMultiple(of: 10) ? 2 : 1))
        }
    }

    @Test("with one attempt, a task that throws in a chunk fails")
    func oneAttempt() throws {
        let farm = Farm()
        let coordinator = ScanCoordinator(
            systems: farm.systems, options: .init(maxAttempts: 1), clock: farm.clock, executor: farm.executor)
        farm.add(1)
        let failed = farm.executor.run {
            var failed: [Int] = []
            do throws(ScanError) {
                let tasks = (0..<50).map { id in Blocking(id: id) { _ in if id == 33 { throw NoBulk() } else { id } } }
                for try await response in coordinator.responses(to: tasks, inChunksOf: 8) {
                    if case .failure = response.result { failed.append(response.id) }
                }
            } catch {
                Issue.record(error)
            }
            return failed
        }
        #expect(failed == [33])
    }

    @Test("outcomes that are too few, or of another task, are refused")
    func validation() throws {
        func outcomes(_ ids: Int...) throws -> TaskChunk<Square>.Output {
            try TaskChunk(id: 0, tasks: ids.map { Square(id: $0) }).scan(ScanContext())
        }
        let chunk = TaskChunk(id: 0, tasks: [Square(id: 2), Square(id: 3)])
        try chunk.validate(outcomes(2, 3))
        for others in [try outcomes(2), try outcomes(3, 2), try outcomes(2, 3, 4)] {
            #expect(throws: (any Error).self) { try chunk.validate(others) }
        }
    }
}
