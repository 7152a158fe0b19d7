import ScanCluster
import ScanTestSupport
import Testing

/// Slow tasks at the end of a run.
@Suite struct HedgingTests {
    /// The outcome of a run whose hedges were recorded.
    private struct Run {
        var report = Report()
        var hedges: [(index: Int, system: String, attempt: Int, seconds: Double)] = []
        var retried = 0
        /// Attempts that failed beside another.
        var lost = 0
    }

    private func run(_ farm: Farm, _ count: Int, options: ScanCoordinator.Options = .init()) throws -> Run {
        let seen = Locked(Run())
        let report = farm.run(count, options: options) { event in
            seen.withLock { run in
                switch event {
                case .taskHedged(let index, let system, let attempt, _, let seconds):
                    run.hedges.append((index, system, attempt, seconds))
                case .taskRetried: run.retried += 1
                case .attemptLost: run.lost += 1
                default: break
                }
            }
        }
        var run = seen.withLock { $0 }
        run.report = try #require(report)
        return run
    }

    @Test("the last task of a slow node is done by one that idles, and cancelled on the slow one")
    func slowNode() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .answer(after: .milliseconds(200)) }
        let slow = farm.add(2, slots: 1) { _, _ in .answer(after: .seconds(60)) }
        let run = try run(farm, 30)
        #expect(run.report.isComplete(30))
        #expect(run.report.bySystem == ["node-1": 30])
        #expect(run.hedges.allSatisfy { $0.system == "node-1" && $0.attempt == 2 })
        #expect(run.hedges.count == slow.started)
        #expect(slow.cancelled == slow.started)
        // Thirty tasks of 0.2 s on two slots, and the tasks of the slow node once more.
        #expect(farm.clock.now < Instant(nanoseconds: 5_000_000_000))
        #expect(farm.systems.snapshot.allSatisfy { $0.inFlight == 0 })
    }

    @Test("a node that accepts tasks and never answers is set aside, ever longer; one that is slow is forgiven")
    func setAside() throws {
        for (isSilent, faults) in [(true, 3...3), (false, 0...1)] {
            let farm = Farm()
            farm.add(1) { _, _ in .answer(after: .seconds(1)) }
            farm.add(2, slots: 2) { _, _ in
                isSilent ? .hang : .answer(after: .seconds(4))
            }
            for _ in 0..<3 {
                #expect(try run(farm, 60).report.isComplete(60))
                // The next run begins when a node that was set aside is tried again.
                farm.clock.advance(by: .seconds(10))
            }
            let counts = farm.systems.state.members.map(\.backOff.faults)
            #expect(counts[0] == 0 && faults.contains(counts[1]))
        }
    }

    @Test("a task that hangs costs no more than twice the usual time and once more the time itself")
    func hang() throws {
        let farm = Farm()
        for number: UInt64 in 1...2 {
            farm.add(number, slots: 1) { started, _ in
                number == 2 && started == 9 ? .hang : .answer(after: .seconds(1))
            }
        }
        let run = try run(farm, 20)
        #expect(run.report.isComplete(20))
        #expect(run.hedges.count == 1)
        #expect(farm.clock.now <= Instant(nanoseconds: 10_000_000_000))
    }

    @Test("a task whose second attempt is slow too gets a third, and no fourth")
    func thirdAttempt() throws {
        let farm = Farm()
        for number: UInt64 in 1...5 {
            farm.add(number, slots: 1) { _, task in
                (task as? Square)?.id == 49 ? .answer(after: .seconds(30)) : .answer(after: .seconds(1))
            }
        }
        let run = try run(farm, 50)
        #expect(run.report.isComplete(50))
        #expect(run.hedges.map(\.attempt) == [2, 3])
        #expect(Set(run.hedges.map(\.index)) == [49])
        #expect(Set(run.hedges.map(\.system)).count == 2)
    }

    @Test("a node that takes the only task and never answers costs ten seconds")
    func onlyTask() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .hang }
        farm.add(2) { _, _ in .answer(after: .seconds(1)) }
        let run = try run(farm, 1)
        #expect(run.report.isComplete(1))
        #expect(run.report.bySystem == ["node-2": 1])
        #expect(farm.clock.now == Instant(nanoseconds: 11_000_000_000))
    }

    @Test("a second attempt that fails is forgotten while the first is under way")
    func hedgeFails() throws {
        let farm = Farm()
        farm.add(1, slots: 1) { _, task in
            (task as? Square)?.id == 9 ? .answer(after: .seconds(10)) : .answer(after: .seconds(1))
        }
        let broken = farm.node(2) { _, _ in .fail(.systemLost, after: .seconds(1)) }
        // When the first has only its last task, from second 4 to 14.
        _ = farm.clock.schedule(at: Instant(nanoseconds: 9_500_000_000)) { farm.join(broken, 2, slots: 1) }
        let run = try run(farm, 10)
        // Nothing is tried again: the first attempt goes on.
        #expect(run.lost == 1 && run.retried == 0)
        #expect(run.report.isComplete(10))
        #expect(run.report.bySystem == ["node-1": 10])
        #expect(run.hedges.count == 1)
        #expect(farm.clock.now == Instant(nanoseconds: 14_000_000_000))
    }

    @Test("tasks that take the time of their cost are not hedged, nor is any while others wait to be started")
    func nothing() throws {
        @Sendable func usual(_ task: any Sendable) -> Duration { .milliseconds(500) * ((task as? Square)?.cost ?? 0) }
        let farm = Farm()
        for number: UInt64 in 1...3 { farm.add(number) { _, task in .answer(after: usual(task)) } }
        #expect(try run(farm, 100).hedges.isEmpty)
        let busy = Farm()
        busy.add(1, slots: 1) { started, task in .answer(after: started == 5 ? .seconds(20) : usual(task)) }
        busy.add(2, slots: 1) { _, task in .answer(after: usual(task)) }
        #expect(try run(busy, 100).hedges.isEmpty)
    }

    @Test("short tasks are not hedged before 100 ms")
    func least() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .answer(after: .microseconds(10)) }
        farm.add(2) { _, _ in .answer(after: .milliseconds(90)) }
        #expect(try run(farm, 1000).hedges.isEmpty)
    }

    @Test("no timer of the run outlives it")
    func timers() throws {
        let farm = Farm()
        farm.add(1, slots: 1) { _, _ in .answer(after: .seconds(1)) }
        farm.add(2, slots: 1) { _, _ in .answer(after: .seconds(1)) }
        // One system idles while the other does the last task.
        #expect(try run(farm, 19).report.isComplete(19))
        #expect(farm.clock.timerCount == 0)
    }
}
