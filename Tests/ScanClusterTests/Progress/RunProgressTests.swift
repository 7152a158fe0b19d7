import ScanCluster
import ScanTestSupport
import Testing

@Suite("The progress of runs") struct RunProgressTests {
    /// Runs `count` squares, and gives the progress that a reader sees meanwhile.
    private func follow(
        _ farm: Farm, _ count: Int, every interval: Duration = .milliseconds(100), inChunksOf limit: Int? = nil,
        attempts: Int = 3
    ) -> [RunProgress]? {
        let coordinator = ScanCoordinator(
            systems: farm.systems, options: .init(maxAttempts: attempts), clock: farm.clock, executor: farm.executor)
        let progress = farm.systems.progress(every: interval)
        return farm.executor.run {
            await withTaskGroup(of: [RunProgress].self) { group in
                group.addTask { await progress.reduce(into: []) { $0.append($1) } }
                let tasks = (0..<count).map { Square(id: $0) }
                let responses =
                    limit.map { coordinator.responses(to: tasks, inChunksOf: $0) }
                    ?? coordinator.responses(to: tasks)
                do {
                    for try await _ in responses {}
                } catch {
                    Issue.record(error)
                }
                return await group.next() ?? []
            }
        }
    }

    @Test("has for each system what waits, runs and is done, at once, at intervals and at the end")
    func counts() throws {
        let farm = Farm()
        for number in [1, 2] as [UInt64] {
            farm.add(number, slots: 2) { _, _ in .answer(after: .milliseconds(100 * Int(number))) }
        }
        let states = try #require(follow(farm, 60))
        let last = try #require(states.last)
        #expect(last.isOver && states.dropLast().allSatisfy { !$0.isOver })
        #expect(last.total.completed == 60 && last.total.failed == 0)
        #expect(last.total.running == 0 && last.total.scheduled == 0)
        #expect(last.systems.map(\.name) == ["node-1", "node-2"] && last.systems.map(\.slots) == [2, 2])
        #expect(last.systems[0].counts.completed > last.systems[1].counts.completed)
        // At the end a timer may fire before the run is over.
        let intervals = Int(last.elapsed / .milliseconds(100))
        #expect(states[0].elapsed == .zero && (intervals + 1...intervals + 2).contains(states.count))
        let middle = states[states.count / 2]
        #expect(middle.systems.allSatisfy { $0.counts.running == 2 && $0.counts.scheduled > 0 })
        // A fake node works on all four tasks that it was given, for 100 ms each, or for 200 ms.
        let rates = middle.systems.compactMap(\.counts.tasksPerSecond)
        #expect(rates.count == 2 && abs(rates[0] - 40) < 8 && abs(rates[1] - 20) < 6, "\(rates)")
        #expect(zip(states, states.dropFirst()).allSatisfy { $0.total.completed <= $1.total.completed })
    }

    @Test("keeps the counts of a node that was lost, with its attempts as failed")
    func lost() throws {
        let farm = Farm()
        farm.add(1) { started, _ in
            started < 9 ? .answer(after: .milliseconds(100)) : .crash(after: .milliseconds(50))
        }
        farm.add(2) { _, _ in .answer(after: .milliseconds(100)) }
        let last = try #require(follow(farm, 30)?.last)
        #expect(last.total.completed == 30)
        let gone = try #require(last.systems.first { $0.name == "node-1" })
        #expect(gone.slots == 0 && gone.counts.completed > 0 && gone.counts.failed > 0)
    }

    @Test("counts attempts that threw, and tasks of chunks one by one", arguments: [nil, 8])
    func failures(limit: Int?) throws {
        let farm = Farm()
        farm.add(1) { started, _ in
            started == 1 ? .throwing("no", after: .milliseconds(10)) : .answer(after: .milliseconds(10))
        }
        let last = try #require(follow(farm, 40, inChunksOf: limit)?.last)
        #expect(last.total.completed == 40 && last.total.failed == 1)
    }

    @Test("begins anew with a run after a pause, and a sequence has the end of a run that was over at once")
    func twoRuns() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .answer(after: .milliseconds(10)) }
        #expect(follow(farm, 7)?.last?.total.completed == 7)
        let progress = farm.systems.progress()
        #expect(farm.run(5)?.isComplete(5) == true)
        let late = farm.executor.run { await progress.reduce(into: [RunProgress]()) { $0.append($1) } }
        #expect(late?.count == 1 && late?.last?.isOver == true && late?.last?.total.completed == 5)
        #expect(follow(farm, 3)?.last?.total.completed == 3)
    }

    @Test("ends when the farm is closed, or the reader is cancelled, also before a run")
    func ends() {
        let farm = Farm()
        let progress = farm.systems.progress()
        /// The number of values that a reader gets which `end` ends.
        func read(_ end: @escaping @Sendable (inout TaskGroup<Int>) -> Void) -> Int? {
            farm.executor.run {
                await withTaskGroup(of: Int.self) { group in
                    group.addTask { await progress.reduce(0) { count, _ in count + 1 } }
                    await Task.yield()
                    end(&group)
                    return await group.next() ?? -1
                }
            }
        }
        #expect(read { $0.cancelAll() } == 0)
        #expect(read { _ in farm.systems.close() } == 0)
    }

    @Test("is one line for people")
    func words() {
        var counts = RunProgress.Counts()
        (counts.completed, counts.running, counts.scheduled, counts.tasksPerSecond) = (12, 2, 3, 4.26)
        let alpha = RunProgress.System(name: "alpha", slots: 2, counts: counts)
        (counts.failed, counts.tasksPerSecond) = (1, 1234.5)
        let beta = RunProgress.System(name: "beta", slots: 2, counts: counts)
        let one = RunProgress(systems: [alpha], elapsed: .milliseconds(2345))
        #expect("\(one)" == "2.3 s: 12 completed, 2 running, 3 scheduled, 4.3/s")
        let two = RunProgress(systems: [alpha, beta], elapsed: .seconds(1))
        #expect(
            "\(two)" == "1.0 s: 24 completed, 4 running, 6 scheduled, 1 failed, 1239/s;"
                + " alpha 12 completed, 2 running, 3 scheduled, 4.3/s;"
                + " beta 12 completed, 2 running, 3 scheduled, 1 failed, 1235/s")
    }
}
