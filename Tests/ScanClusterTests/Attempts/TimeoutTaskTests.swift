@testable import ScanCluster
import ScanTestSupport
import Testing

@Suite struct TimeoutTaskTests {
    let clock = ManualClock()
    let expired = Locked<[Int]>([])

    private final class Numbered: TimeoutTask, @unchecked Sendable {
        // Sendable: a test uses it on one thread.
        private let system: ScanSystem
        private let onExpiry: @Sendable () -> Void

        init(on system: ScanSystem, onExpiry: @escaping @Sendable () -> Void) {
            self.system = system
            self.onExpiry = onExpiry
        }

        func begin() { system.assumeIsolated { $0.timeBegins(for: self) } }

        func end() { system.assumeIsolated { $0.timeEnds(for: self) } }

        override func timeLimit() -> Duration? { .seconds(1) }

        override func expire(on system: isolated ScanSystem) { onExpiry() }
    }

    private func system(slots: Int) -> ScanSystem {
        ScanSystem(
            remote: FakeNode(name: "node", clock: clock), id: .test(1), name: "node", slots: slots, clock: clock,
            executor: SimulatedExecutor(clock: clock))
    }

    private func task(_ number: Int, on system: ScanSystem) -> Numbered {
        Numbered(on: system) { [expired] in expired.withLock { $0.append(number) } }
    }

    @Test("an end before the time cancels the timer, and further ends are ignored")
    func ended() {
        let task = task(1, on: system(slots: 1))
        task.begin()
        #expect(clock.timerCount == 1)
        task.end()
        task.end()
        #expect(clock.timerCount == 0)
        clock.advance(by: .seconds(2))
        #expect(expired.withLock { $0 }.isEmpty)
    }

    @Test("it expires when its time is over, once for each request")
    func expiry() {
        let task = task(1, on: system(slots: 1))
        task.begin()
        clock.advance(by: .milliseconds(999))
        #expect(expired.withLock { $0 }.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(expired.withLock { $0 } == [1])
        task.end()
        task.begin()
        clock.advance(by: .seconds(1))
        #expect(expired.withLock { $0 } == [1, 1])
    }

    @Test("a further request keeps the slot, and its time begins again")
    func repeated() {
        let system = system(slots: 1)
        let (first, second) = (task(1, on: system), task(2, on: system))
        first.begin()
        clock.advance(by: .milliseconds(600))
        first.begin()
        clock.advance(by: .milliseconds(600))
        #expect(expired.withLock { $0 }.isEmpty)
        first.end()
        second.begin()
        clock.advance(by: .seconds(1))
        #expect(expired.withLock { $0 } == [2])
    }

    @Test("the time begins when a slot is free, and one that ended while it waited takes none")
    func slots() {
        let system = system(slots: 1)
        let tasks = (1...3).map { task($0, on: system) }
        for task in tasks { task.begin() }
        #expect(clock.timerCount == 1)
        tasks[1].end()
        clock.advance(by: .milliseconds(900))
        tasks[0].end()
        clock.advance(by: .milliseconds(900))
        #expect(expired.withLock { $0 }.isEmpty)
        clock.advance(by: .milliseconds(100))
        #expect(expired.withLock { $0 } == [3])
    }

    @Test("one timer serves all; each expires at its own time, whatever ended before")
    func oneTimer() {
        let system = system(slots: 3)
        let tasks = (1...5).map { task($0, on: system) }
        for task in tasks[..<3] {
            task.begin()
            clock.advance(by: .milliseconds(100))
        }
        #expect(clock.timerCount == 1)
        // The timer is set for the first. Its slot goes to the fourth, at 300 ms.
        tasks[3].begin()
        tasks[0].end()
        clock.advance(by: .milliseconds(799))
        #expect(expired.withLock { $0 }.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(expired.withLock { $0 } == [2])
        tasks[1].end()
        clock.advance(by: .milliseconds(100))
        #expect(expired.withLock { $0 } == [2, 3])
        // One that has expired keeps its slot until it ends, and does not expire again.
        clock.advance(by: .milliseconds(100))
        #expect(expired.withLock { $0 } == [2, 3, 4])
        #expect(clock.timerCount == 0)
        tasks[4].begin()
        clock.advance(by: .seconds(1))
        #expect(expired.withLock { $0 } == [2, 3, 4, 5])
        for task in tasks { task.end() }
        #expect(clock.timerCount == 0)
    }
}
