import ScanCluster
import ScanTestSupport
import Testing

@Suite("Consumers of a run") struct RunConsumerTests {
    @Test("a consumer that stops early cancels attempts in flight, and takes no more tasks from the sequence")
    func stop() throws {
        let farm = Farm()
        let node = farm.add(1) { _, _ in .answer(after: .seconds(1)) }
        let pulled = Locked(0)
        let coordinator = ScanCoordinator(systems: farm.systems, clock: farm.clock, executor: farm.executor)
        let seen = farm.executor.run {
            var seen = 0
            let tasks = sequence(first: 0) { $0 + 1 }.lazy.map { number in
                pulled.withLock { $0 += 1 }
                return Square(id: number)
            }
            let run = coordinator.responses(to: UncheckedTasks(tasks: tasks))
            do {
                for try await _ in run {
                    seen += 1
                    if seen == 3 { break }
                }
            } catch {
                return -1
            }
            return seen
        }
        farm.executor.settle()
        #expect(seen == 3)
        #expect(node.running == 0)
        #expect(farm.systems.snapshot.map(\.inFlight) == [0])
        #expect(pulled.withLock { $0 } < 300)
    }

    @Test("a cancelled consumer sees the error only after every attempt has ended")
    func cancel() throws {
        let farm = Farm()
        let node = farm.add(1) { _, _ in .hang }
        let coordinator = ScanCoordinator(systems: farm.systems, clock: farm.clock, executor: farm.executor)
        let consumer = Locked<Task<ScanError?, Never>?>(nil)
        _ = farm.clock.schedule(at: Instant(nanoseconds: 1)) { consumer.withLock { $0 }?.cancel() }
        let error = farm.executor.run {
            let task = Task(executorPreference: farm.executor) { () -> ScanError? in
                do throws(ScanError) {
                    for try await _ in coordinator.responses(to: (0..<10).map { Square(id: $0) }) {}
                    return nil
                } catch {
                    return node.running == 0 ? error : nil
                }
            }
            consumer.withLock { $0 = task }
            return await task.value
        }
        #expect(error??.code == .cancelled)
        #expect(node.cancelled == node.started)
        #expect(node.started > 0)
    }

    @Test("a slow consumer holds the run up")
    func backPressure() throws {
        let farm = Farm()
        let node = farm.add(1)
        let coordinator = ScanCoordinator(
            systems: farm.systems, options: .init(responseBuffer: 4), clock: farm.clock, executor: farm.executor)
        let most = farm.executor.run {
            var most = 0
            var seen = 0
            do {
                for try await _ in coordinator.responses(to: (0..<500).map { Square(id: $0) }) {
                    seen += 1
                    await withUnsafeContinuation { continuation in
                        _ = farm.clock.schedule(at: farm.clock.now.advanced(by: .seconds(1))) { continuation.resume() }
                    }
                    most = max(most, node.started - seen)
                }
            } catch {
                return -1
            }
            return seen == 500 ? most : -1
        }
        // Twice the buffer, the depth of 4, and the response that the run holds.
        let limit = 2 * 4 + 4 + 1
        #expect(try #require(most) <= limit)
        #expect(try #require(most) >= 4)
    }

    @Test("two runs share the systems")
    func twoRuns() throws {
        let farm = Farm()
        farm.add(1, slots: 1)
        let coordinator = ScanCoordinator(systems: farm.systems, clock: farm.clock, executor: farm.executor)
        let sums = farm.executor.run {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var sum = 0
                        do {
                            for try await response in coordinator.responses(to: (0..<50).map { Square(id: $0) }) {
                                sum += try response.get()
                            }
                        } catch {
                            return -1
                        }
                        return sum
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        let sum = (0..<50).reduce(0) { $0 + $1 * $1 }
        #expect(sums == [sum, sum])
    }
}

/// A lazy sequence whose closures the compiler cannot see to be sendable.
private struct UncheckedTasks<Base: Sequence>: Sequence, @unchecked Sendable {
    // Sendable: used by one run only.
    let tasks: Base
    func makeIterator() -> Base.Iterator { tasks.makeIterator() }
}
