import ScanCluster
import ScanTestSupport
import Testing

@Suite struct ScanCoordinatorTests {
    @Test("every task gets exactly one response, and every node takes part")
    func everyTaskOnce() throws {
        let farm = Farm()
        for number in 1...3 { farm.add(UInt64(number)) }
        let report = try #require(farm.run(1000))
        #expect(report.isComplete(1000))
        #expect(report.bySystem.count == 3)
        #expect(farm.systems.snapshot.allSatisfy { $0.inFlight == 0 })
        #expect(farm.clock.timerCount == 0)
    }

    @Test("a run without tasks ends at once, even without systems")
    func noTasks() throws {
        #expect(try #require(Farm().run(0)).isComplete(0))
    }

    @Test("the tasks of a node that crashes are done by another")
    func crash() throws {
        let farm = Farm()
        farm.add(1)
        farm.add(2) { started, _ in started == 10 ? .crash(after: .milliseconds(1)) : .answer(after: .milliseconds(1)) }
        let report = try #require(farm.run(100))
        #expect(report.isComplete(100))
        #expect(farm.systems.snapshot.map(\.name) == ["node-1"])
    }

    @Test("the tasks of a node that hangs are done by another after the time-out, and cancelled on the first")
    func hang() throws {
        let farm = Farm()
        farm.add(1)
        let hanging = farm.add(2) { _, _ in .hang }
        let report = try #require(farm.run(200, options: .init(timeout: .seconds(5))))
        #expect(report.isComplete(200))
        #expect(report.bySystem == ["node-1": 200])
        #expect(hanging.running == 0)
        #expect(hanging.cancelled == hanging.started)
    }

    @Test("a node that refuses is set aside, and its tasks go elsewhere")
    func refuse() throws {
        let farm = Farm()
        farm.add(1)
        let refusing = farm.add(2) { _, _ in .fail(.refused, after: .milliseconds(1)) }
        let report = try #require(farm.run(100))
        #expect(report.isComplete(100))
        #expect(refusing.started < 20)
    }

    @Test("a node that refuses for a while is tried again, and the run completes")
    func refuseForAWhile() throws {
        let farm = Farm()
        farm.add(1) { started, _ in
            started < 50 ? .fail(.refused, after: .milliseconds(1)) : .answer(after: .milliseconds(1))
        }
        #expect(try #require(farm.run(100)).isComplete(100))
    }

    @Test("a node that joins during a run gets work")
    func join() throws {
        let farm = Farm()
        farm.add(1)
        let late = farm.node(2) { _, _ in .answer(after: .milliseconds(1)) }
        _ = farm.clock.schedule(at: Instant(nanoseconds: 5_000_000)) { farm.join(late, 2) }
        let report = try #require(farm.run(200))
        #expect(report.isComplete(200))
        #expect(report.bySystem["node-2", default: 0] > 50)
    }

    @Test("a run that begins without systems waits for one")
    func waitForSystem() throws {
        let farm = Farm()
        let late = farm.node(1) { _, _ in .answer(after: .milliseconds(1)) }
        _ = farm.clock.schedule(at: Instant(nanoseconds: 9_000_000_000)) { farm.join(late, 1) }
        #expect(try #require(farm.run(10)).isComplete(10))
    }

    @Test("a run without systems ends with an error when the wait is over")
    func noSystem() throws {
        let farm = Farm()
        let report = try #require(farm.run(10))
        #expect(report.error?.code == .noSystem)
        #expect(farm.clock.now == Instant(nanoseconds: 10_000_000_000))
    }

    @Test("when all systems are gone the error names the last cause")
    func allGone() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .crash(after: .milliseconds(1)) }
        let report = try #require(farm.run(10))
        #expect(report.error?.code == .noSystem)
        #expect(report.error?.message.contains("node-1") == true)
    }

    @Test("a node that does not know the task's type gets no further task of the run")
    func unknownType() throws {
        let farm = Farm()
        farm.add(1)
        let other = farm.add(2) { _, _ in .fail(.unknownType, after: .milliseconds(1)) }
        #expect(try #require(farm.run(100)).isComplete(100))
        #expect(other.started <= other.mostRunning)
    }

    @Test("a run whose only node does not know the task's type ends with an error")
    func onlyUnknownType() throws {
        let farm = Farm()
        farm.add(1) { _, _ in .fail(.unknownType, after: .milliseconds(1)) }
        #expect(try #require(farm.run(100)).error?.code == .noSystem)
    }

    @Test("a task that throws on one node only is done by another")
    func throwsOnOneNode() throws {
        let farm = Farm()
        farm.add(1)
        farm.add(2) { _, _ in .throwing("out of memory", after: .milliseconds(1)) }
        let report = try #require(farm.run(100))
        #expect(report.isComplete(100))
        #expect(report.bySystem == ["node-1": 100])
    }

    @Test("a task that throws everywhere is reported once, after as many attempts as agreed", arguments: [1, 2, 3, 5])
    func throwsEverywhere(maxAttempts: Int) throws {
        let farm = Farm()
        let attempts = Locked(0)
        for number in 1...2 {
            farm.add(UInt64(number)) { _, task in
                guard (task as? Square)?.id == 7 else { return .answer(after: .milliseconds(1)) }
                attempts.withLock { $0 += 1 }
                return .throwing("seven", after: .milliseconds(1))
            }
        }
        let report = try #require(farm.run(20, options: .init(maxAttempts: maxAttempts)))
        #expect(report.responses == 20)
        #expect(report.outputs.count == 19)
        #expect(report.failures[7]?.message == "seven")
        #expect(report.failures[7]?.attempt == maxAttempts)
        #expect(attempts.withLock { $0 } == maxAttempts)
    }

    @Test("a task that kills every node it meets ends, and the others are done")
    func killer() throws {
        let farm = Farm()
        // Nodes restart under a new identity, for ever.
        let next = Locked<UInt64>(0)
        @Sendable func restart() {
            let number = next.withLock { next in
                next += 1
                return next
            }
            let node = FakeNode(
                name: "node-\(number)", clock: farm.clock,
                onCrash: {
                    farm.systems.leave(.test(number))
                    restart()
                },
                behaviour: { _, task in
                    (task as? Square)?.id == 3 ? .crash(after: .milliseconds(2)) : .answer(after: .milliseconds(1))
                })
            farm.join(node, number)
        }
        restart()
        let report = try #require(farm.run(20, options: .init(maxSystemFaults: 4)))
        #expect(report.responses == 20)
        #expect(report.failures.keys.sorted().contains(3))
    }

    @Test("a task that waits at a node for a slot does not spend its time-out there", arguments: [1, 2])
    func waitingForASlot(slots: Int) throws {
        let farm = Farm()
        // As a node with so many slots: one batch after the other.
        let node = farm.add(1, slots: slots) { [clock = farm.clock] started, _ in
            let end = Instant(nanoseconds: 0).advanced(by: .seconds(6 * (started / slots + 1)))
            return .answer(after: .nanoseconds(end.nanoseconds - clock.now.nanoseconds))
        }
        let lost = Locked(0)
        let report = try #require(
            farm.run(20, options: .init(timeout: .seconds(9))) { event in
                if case .taskRetried = event { lost.withLock { $0 += 1 } }
            })
        #expect(report.isComplete(20))
        #expect(node.mostRunning == 2 * slots)
        #expect(lost.withLock { $0 } == 0)
    }

    @Test("the time of a task that waited at a node begins when a slot is free for it")
    func timeOutAfterWaiting() throws {
        let farm = Farm()
        farm.add(1, slots: 1) { started, _ in
            switch started {
            case 0: .answer(after: .seconds(5))
            case 1: .hang
            default: .answer(after: .seconds(1))
            }
        }
        let lost = Locked<[Instant]>([])
        let clock = farm.clock
        let report = farm.run(2, options: .init(timeout: .seconds(9))) { event in
            if case .taskRetried = event { lost.withLock { $0.append(clock.now) } }
        }
        #expect(report?.isComplete(2) == true)
        #expect(lost.withLock { $0 } == [Instant(nanoseconds: 14_000_000_000)])
    }

    @Test("the only node hangs in one task: its tasks are given up, after a minute or a multiple of the usual time")
    func stuckAlone() throws {
        let farm = Farm()
        // Its only slot is stuck: it answers no later task either.
        let node = farm.add(1, slots: 1) { started, _ in started >= 10 ? .hang : .answer(after: .seconds(2)) }
        let events = Locked<[TaskEvent]>([])
        let report = try #require(
            farm.run(20, options: .init(adaptiveTimeout: AdaptiveTimeout())) { event in
                events.withLock { $0.append(event) }
            })
        #expect(report.error == nil && report.outputs.count == 10 && report.failures.count == 10)
        // Tasks cost 1, 2 and 3, of 2 s each: about 1 s per cost in the median, and the tenth costs 2.
        let causes = Set(report.failures.values.map(\.message))
        #expect(causes.count == 2 && causes.contains { $0.hasPrefix("no answer within ") }, "\(causes)")
        let seconds = Double(farm.clock.now.nanoseconds) / 1e9
        #expect((150...350).contains(seconds), "\(seconds) s")
        #expect(events.withLock { $0.count { if case .taskFailed = $0 { true } else { false } } } == 10)
        #expect(node.running == 0)
    }

    @Test("a node that hangs in its first task, when nothing was measured, has five minutes")
    func stuckAtOnce() throws {
        let farm = Farm()
        farm.add(1, slots: 2) { _, _ in .hang }
        let report = try #require(farm.run(20, options: .init(adaptiveTimeout: AdaptiveTimeout())))
        #expect(report.error == nil && report.failures.count == 20)
        #expect(farm.clock.now == Instant.zero.advanced(by: .seconds(310)))
    }

    @Test("a task that loops on every slot of a node is given up, and the others are done")
    func loops() throws {
        let farm = Farm()
        farm.add(1, slots: 4) { _, task in
            (task as? Square)?.id == 5 ? .hang : .answer(after: .milliseconds(10))
        }
        let report = try #require(farm.run(100, options: .init(adaptiveTimeout: AdaptiveTimeout())))
        #expect(report.outputs.count == 99)
        #expect(report.failures[5]?.message.hasPrefix("no answer within ") == true)
    }

    @Test("a node that drains returns its tasks without an event, and gets no others")
    func draining() throws {
        let farm = Farm()
        farm.add(1)
        let leaving = farm.add(2, slots: 1) { started, _ in
            started < 5 ? .answer(after: .milliseconds(1)) : .fail(.draining, after: .milliseconds(1))
        }
        let retried = Locked(0)
        let report = try #require(
            farm.run(100) { event in
                if case .taskRetried = event { retried.withLock { $0 += 1 } }
            })
        #expect(report.isComplete(100))
        #expect(retried.withLock { $0 } == 0)
        // Those that were in transit when the first came back, and not one more.
        #expect((6...8).contains(leaving.started))
        #expect(farm.systems.snapshot.allSatisfy { $0.setAsideUntil == nil })
    }

    @Test("a system that left between two runs is reported to the second")
    func leftBetween() throws {
        let farm = Farm()
        farm.add(1)
        farm.add(2)
        let coordinator = ScanCoordinator(systems: farm.systems, clock: farm.clock, executor: farm.executor)
        let events = Locked<[TaskEvent]>([])
        let count = farm.executor.run {
            var count = 0
            for job in 0..<2 {
                let tasks = (0..<10).map { Square(id: $0) }
                let observer = { @Sendable (event: TaskEvent) in
                    if job == 1 { events.withLock { $0.append(event) } }
                }
                do {
                    for try await _ in coordinator.responses(to: tasks, observer: observer) { count += 1 }
                } catch {
                    return -1
                }
                farm.systems.leave(.test(2))
            }
            return count
        }
        #expect(count == 20)
        let first = events.withLock { Array($0.prefix(2)) }
        #expect(first == [.systemLeft(name: "node-2"), .systemJoined(name: "node-1", slots: 2)])
        #expect(events.withLock { $0.count { $0 == .systemLeft(name: "node-2") } } == 1)
    }

    @Test("tasks whose outputs cannot be right are tried elsewhere")
    func garbage() throws {
        let farm = Farm()
        farm.add(1)
        let wrong = farm.add(2) { _, _ in .garbage(after: .milliseconds(1)) }
        let report = try #require(farm.run(100))
        #expect(report.isComplete(100))
        #expect(wrong.started < 20)
    }

    @Test("the observer gets every start, end, retry and system, in order")
    func events() throws {
        let farm = Farm()
        farm.add(1, slots: 1) { started, _ in
            started == 0 ? .throwing("once", after: .milliseconds(1)) : .answer(after: .milliseconds(1))
        }
        let events = Locked<[TaskEvent]>([])
        _ = farm.run(1) { event in events.withLock { $0.append(event) } }
        #expect(
            events.withLock { $0 } == [
                .systemJoined(name: "node-1", slots: 1),
                .taskStarted(index: 0, system: "node-1", attempt: 1, cost: 1),
                .taskRetried(index: 0, system: "node-1", attempt: 1, reason: "once"),
                .taskStarted(index: 0, system: "node-1", attempt: 2, cost: 1),
                .taskFinished(index: 0, system: "node-1", attempt: 2, cost: 1, seconds: 0.001),
            ])
    }

    @Test("a task that is given up has the log of the node that failed it last, though the last attempt had none")
    func log() throws {
        let farm = Farm()
        farm.add(1, slots: 1) { started, _ in
            started == 0
                ? .throwing("no memory", log: ["first", "second"], after: .milliseconds(1))
                : .throwing("no luck", after: .milliseconds(1))
        }
        let events = Locked<[TaskEvent]>([])
        _ = farm.run(1) { event in events.withLock { $0.append(event) } }
        let log = ["node-1: first", "node-1: second"]
        let failure = TaskFailure(message: "no luck", system: "node-1", attempt: 3, log: log)
        #expect(
            events.withLock { $0.filter { if case .taskStarted = $0 { false } else { true } } } == [
                .systemJoined(name: "node-1", slots: 1),
                .taskRetried(index: 0, system: "node-1", attempt: 1, reason: "no memory", log: log),
                .taskRetried(index: 0, system: "node-1", attempt: 2, reason: "no luck"),
                .taskFailed(index: 0, cost: 1, failure: failure),
            ])
    }
}
